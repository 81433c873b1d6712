// Package show writes a trace for people: as a list of messages, as tables of counts and of figures ([Stats]), as a sequence
// diagram ([Mermaid] or [SVG]), as the first difference of two traces, and as the forest by cause that golden scripts
// compare ([Forest]).
package show
