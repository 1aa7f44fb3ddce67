/* Start of a program on the Cortex-M4F that QEMU has as mps2-an386; prints by semihosting. */
#include <stdint.h>
#include <stdlib.h>

extern uint32_t stack_top;
extern void initialise_monitor_handles(void);
extern int main(void);

/* newlib's exit asks for it, where the compiler's own start is left out */
void _fini(void);
void _fini(void)
{
}

static void trapped(void)
{
    exit(3);
}

void reset(void)
{
    /* CPACR: full access to the floating-point unit, Armv7-M manual B3.2.20 */
    *(volatile uint32_t *)0xE000ED88u |= 0xFu << 20;
    __asm volatile("dsb\n\tisb");
    initialise_monitor_handles();
    exit(main());
}

/* word 0: the stack; 1: reset; 2 to 15: faults and calls of the system */
__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16] = {
    (uintptr_t)&stack_top, (uintptr_t)reset,
    (uintptr_t)trapped, (uintptr_t)trapped, (uintptr_t)trapped, (uintptr_t)trapped, (uintptr_t)trapped,
    0, 0, 0, 0,
    (uintptr_t)trapped, (uintptr_t)trapped, 0, (uintptr_t)trapped, (uintptr_t)trapped,
};
