/** Draws the eye to a message, where it is shown. */
export function pulse(messageId: string): void {
  const element = document.querySelector(`#message-${messageId}`);
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  element?.animate(
    [
      { boxShadow: 'inset 4px 0 0 #5865f2', backgroundColor: '#5865f255' },
      { boxShadow: 'inset 4px 0 0 transparent', backgroundColor: 'transparent' },
    ],
    { duration: 900, iterations: 3, easing: 'ease-out' },
  );
}
