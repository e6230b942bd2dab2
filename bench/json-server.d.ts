/** The package comes without types; this is what the bench uses of it. */
declare module 'json-server' {
  import type { RequestListener, Server } from 'node:http';

  type Middleware = RequestListener;
  interface Application {
    use(middleware: Middleware | Middleware[]): void;
    listen(port: number, host: string, listening: () => void): Server;
  }
  const jsonServer: {
    create(): Application;
    defaults(options: { logger: boolean }): Middleware[];
    router(data: object): Middleware;
  };
  export default jsonServer;
}
