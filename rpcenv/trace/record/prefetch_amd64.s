#include "textflag.h"

// func prefetch(p unsafe.Pointer, n int)
TEXT ·prefetch(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), AX
	MOVQ n+8(FP), CX

line:
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX); older processors take it for no operation
	ADDQ $64, AX
	SUBQ $64, CX
	JGT  line
	RET
