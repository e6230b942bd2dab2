import type { Http } from './http.ts';

/** The interface that was asked, and the status of its answer, `none` where there was no answer. */
export type OnReply = (name: 'v2' | 'portal', outcome: string) => void;

/** Reports the outcome of each request. */
export function countedHttp(http: Http, onReply: OnReply): Http {
  return {
    async send(request, signal) {
      // Only the portal's key is sent in a header.
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
