const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The address of a picture or file for this page. What its own server serves is asked for where the page itself came from:
 * the address in a message names this machine, and the page may have come through a tunnel, or from another port than then.
 * @param hasPhotos whether the page's server serves the store's pictures too, as a demo's does
 */
export function ownAddress(url: string, hasPhotos: boolean): string {
  const { hostname, pathname, search } = new URL(url);
  const isServedHere = pathname.startsWith('/attachments/') || (hasPhotos && pathname.startsWith('/photos/'));
  return LOOPBACK.test(hostname) && isServedHere ? `${pathname}${search}` : url;
}
