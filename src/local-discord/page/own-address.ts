/** Folders that this page's own server serves. */
const OWN = /^\/(photos|attachments)\//;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The address of a picture or file for this page. What its own server serves is asked for where the page itself came from:
 * the address in a message names this machine, and the page may have come through a tunnel, or from another port than then.
 */
export function ownAddress(url: string): string {
  const { hostname, pathname, search } = new URL(url);
  return LOOPBACK.test(hostname) && OWN.test(pathname) ? `${pathname}${search}` : url;
}
