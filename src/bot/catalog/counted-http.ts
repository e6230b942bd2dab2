import type { Http } from './http.ts';

/** Which interface was asked, and the status of its answer, or that there was none. */
export type OnReply = (name: 'v2' | 'portal', outcome: string) => void;

/** Tells of each request how it ended. */
export function countedHttp(http: Http, onReply: OnReply): Http {
  return {
    async send(request, signal) {
      // Only the portal takes its key in a header.
      const name = 'x-api-key' in request.headers ? 'portal' : 'v2';
      try {
        const reply = await http.send(request, signal);
        onReply(name, String(reply.status));
        return reply;
      } catch (error) {
        onReply(name, 'none');
        throw error;
      }
    },
    close: () => http.close(),
  };
}
