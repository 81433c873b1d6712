package show

// Sizes of text in pixels: nothing is below 12.
const (
	fontTitle = 17
	fontPeer  = 14
	fontName  = 12
	fontLabel = 12
)

// How many colours processes take turns in, and asks with their answers.
const (
	bandColours = 6
	pairColours = 4
)

// svgStyle draws light, and dark where the reader's system is. It uses no variables: many viewers know none. The colour of
// an ask, its answer and the time between is one of the p classes; a viewer that knows no :has shows a cause in the hover
// text only.
const svgStyle = `
.co{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px}
.co .bg{fill:#ffffff}
.co text{fill:#1f2933}
.co .title{font-size:17px;font-weight:600}
.co .sub,.co .time{fill:#66727f}
.co .time{text-anchor:end;font-variant-numeric:tabular-nums}
.co .mid{text-anchor:middle}
.co .peer{font-size:14px;font-weight:700;text-anchor:middle}
.co .peer.on{fill:#ffffff}
.co .name{text-anchor:middle;fill:#4a5561}
.co .label{paint-order:stroke;stroke:#ffffff;stroke-width:4px;stroke-linejoin:round}
.co .item{font-style:italic;fill:#66727f}
.co .n{font-weight:700}
.co .life{stroke:#b8c1cc;stroke-width:1;stroke-dasharray:2 4}
.co .b0{fill:#2f6fd6}.co .b1{fill:#c2571a}.co .b2{fill:#2b8a57}.co .b3{fill:#8b46c4}.co .b4{fill:#b03a66}.co .b5{fill:#54708c}
.co .band{opacity:.06}
.co .bar{opacity:.9}
.co .line{fill:none;stroke-width:1.5}
.co .send{stroke:#2563c4}.co .ask{stroke:currentColor}.co .reply{stroke:currentColor;stroke-dasharray:5 4}
.co .fail{stroke:#c62828;stroke-dasharray:5 4}.co .drop{stroke:#c62828}
.co .head{stroke-width:1.5;stroke-linejoin:round;stroke-dasharray:none}
.co .hask{fill:currentColor;stroke:currentColor}.co .hsend{fill:none;stroke:#2563c4}.co .hreply{fill:none;stroke:currentColor}
.co .p0{color:#7a3fc0}.co .p1{color:#0b7a75}.co .p2{color:#b5307c}.co .p3{color:#8a6100}
.co .hfail,.co .hdrop{fill:none;stroke:#c62828}
.co .busy{fill:currentColor;fill-opacity:.22;stroke:currentColor;stroke-width:1}
.co .dot{fill:#ffffff;stroke:#66727f;stroke-width:1.5}
.co .start{fill:#66727f}
.co .event{fill:#e09b1a}
.co .state{fill:#eef7f0;stroke:#2b8a57;stroke-width:1}
.co .is{fill:#1d6b41}
.co .hit{fill:#2563c4;opacity:0}
.co g.s:hover .hit{opacity:.09}
.co .lane{fill:#2563c4;opacity:0}
.co g.l:hover .lane{opacity:.08}
.co:has(g.s:hover) g.s{opacity:.22}
@media (prefers-color-scheme:dark){
.co .bg{fill:#12171d}
.co text{fill:#e3e8ee}
.co .sub,.co .time,.co .item{fill:#93a1b0}
.co .name{fill:#b6c1cd}
.co .label{stroke:#12171d}
.co .life{stroke:#46525f}
.co .b0{fill:#6ea4f7}.co .b1{fill:#f09a5b}.co .b2{fill:#5fc48d}.co .b3{fill:#c08cf0}.co .b4{fill:#ec7da6}.co .b5{fill:#9db6d0}
.co .band{opacity:.08}
.co .peer.on{fill:#12171d}
.co .send,.co .hsend{stroke:#6ea4f7}
.co .p0{color:#b98cf2}.co .p1{color:#4cc2bb}.co .p2{color:#f083bd}.co .p3{color:#dcb04a}
.co .fail,.co .drop,.co .hfail,.co .hdrop{stroke:#ff7b72}
.co .dot{fill:#12171d;stroke:#93a1b0}
.co .start{fill:#93a1b0}
.co .state{fill:#16291f;stroke:#5fc48d}
.co .is{fill:#7fd8a6}
.co .hit,.co .lane{fill:#6ea4f7}
}
`
