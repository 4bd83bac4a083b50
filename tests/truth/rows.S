/*
 * Functions written in assembly, whose unwind rows no compiler would make. Every one of them calls
 * rows_leaf and little else, so that samples fall onto all their instructions.
 */
#if defined(__x86_64__)

	.text

#define FUNCTION(name) .globl name; .type name, @function; .p2align 4; name: .cfi_startproc
#define END(name) .cfi_endproc; .size name, . - name

FUNCTION(rows_leaf)
	mov $4, %eax
1:	dec %eax
	jnz 1b
	ret
END(rows_leaf)

/* The stack pointer moves with every push and pop. */
FUNCTION(rows_pushes)
	push %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	push %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	push %r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	mov $1, %ebx
	call rows_leaf
	pop %r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	pop %r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	pop %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	ret
END(rows_pushes)

/* The frame is found by a register other than the frame pointer, which holds something else. */
FUNCTION(rows_other_register)
	push %rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	push %rbp
	.cfi_def_cfa_offset 24
	.cfi_offset %rbp, -24
	mov %rsp, %rbx
	.cfi_def_cfa_register %rbx
	mov $77, %ebp
	and $-256, %rsp
	call rows_leaf
	mov %rbx, %rsp
	.cfi_def_cfa_register %rsp
	pop %rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 16
	pop %rbx
	.cfi_restore %rbx
	.cfi_def_cfa_offset 8
	ret
END(rows_other_register)

/* Where the frame begins stands in memory: an expression reads it. */
FUNCTION(rows_expression)
	lea 8(%rsp), %rax
	push %rax
	.cfi_def_cfa_offset 16
	sub $48, %rsp
	.cfi_def_cfa_offset 64
	mov %rax, 16(%rsp)
	/* DW_CFA_def_cfa_expression, 3 bytes: DW_OP_breg7 (rsp) 16; DW_OP_deref */
	.cfi_escape 0x0f, 0x03, 0x77, 0x10, 0x06
	call rows_leaf
	nop
	.cfi_def_cfa %rsp, 64
	add $56, %rsp
	.cfi_def_cfa_offset 8
	ret
END(rows_expression)

/* A saved register is given by an expression; another one is kept in a register. */
FUNCTION(rows_saved)
	push %r12
	.cfi_def_cfa_offset 16
	.cfi_offset %r12, -16
	sub $16, %rsp
	.cfi_def_cfa_offset 32
	mov %rbx, (%rsp)
	/* DW_CFA_expression, register 3 (rbx), 2 bytes: DW_OP_breg7 (rsp) 0 */
	.cfi_escape 0x10, 0x03, 0x02, 0x77, 0x00
	mov %rbp, %r12
	.cfi_register %rbp, %r12
	mov $99, %ebp
	mov $98, %ebx
	call rows_pushes
	mov %r12, %rbp
	.cfi_restore %rbp
	mov (%rsp), %rbx
	.cfi_restore %rbx
	add $16, %rsp
	.cfi_def_cfa_offset 16
	pop %r12
	.cfi_restore %r12
	.cfi_def_cfa_offset 8
	ret
END(rows_saved)

/* A return in the middle: the rows behind it begin as those before it ended. */
FUNCTION(rows_remember)
	push %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	sub $32, %rsp
	.cfi_def_cfa_offset 48
	test %edi, %edi
	jnz 1f
	.cfi_remember_state
	add $32, %rsp
	.cfi_def_cfa_offset 16
	pop %rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
1:	.cfi_restore_state
	dec %edi
	call rows_remember
	add $32, %rsp
	.cfi_def_cfa_offset 16
	pop %rbp
	.cfi_restore %rbp
	.cfi_def_cfa_offset 8
	ret
END(rows_remember)

/* No rows at all, but a frame pointer. */
	.globl rows_missing
	.type rows_missing, @function
	.p2align 4
rows_missing:
	push %rbp
	mov %rsp, %rbp
	sub $64, %rsp
	call spend
	leave
	ret
	.size rows_missing, . - rows_missing

#endif
	.section .note.GNU-stack, "", @progbits
