import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The requests of bots that are being answered. */
export class Answering {
  readonly #requests = new Set<FastifyRequest>();
  readonly #waiting: (() => void)[] = [];

  begin(request: FastifyRequest): void {
    this.#requests.add(request);
  }

  /** The request is answered, or a fault holds it back. */
  end(request: FastifyRequest): void {
    this.#requests.delete(request);
    if (this.#requests.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves once all have their answers. */
  done(): Promise<void> {
    return this.#requests.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}

export function trackAnswers(app: FastifyInstance, answering: Answering): void {
  app.addHook('onRequest', async (request, reply) => {
    answering.begin(request);
    // A response closes in any case: after the answer, or where the connection breaks before.
    reply.raw.once('close', () => answering.end(request));
  });
}
