import type { DemoAction, DemoResult } from '../server/demo-api.ts';
import type {
  Autocomplete,
  Choices,
  Done,
  PageProblem,
  PageState,
  PageUpdate,
  PersonAction,
  RunCommand,
  RunMessageCommand,
  RunUserCommand,
  Started,
  SubmitModal,
  UseComponent,
} from '../server/page-api.ts';

/** The server refused a request, or did not answer. The message is for the person at the page. */
export class ProblemError extends Error {}

export const performDemoAction = (body: DemoAction) => request<DemoResult>('POST', '/demo/actions', body);
const loadState = () => request<PageState>('GET', '/page/state');
export const runCommand = (body: RunCommand) => request<Started>('POST', '/page/commands', body);
export const runMessageCommand = (body: RunMessageCommand) => request<Started>('POST', '/page/message-commands', body);
export const runUserCommand = (body: RunUserCommand) => request<Started>('POST', '/page/user-commands', body);
export const useComponent = (body: UseComponent) => request<Started>('POST', '/page/components', body);
export const submitModal = (body: SubmitModal) => request<Started>('POST', '/page/modals', body);
export const act = (body: PersonAction) => request<Done>('POST', '/page/actions', body);
export const autocomplete = (body: Autocomplete, signal: AbortSignal) =>
  request<Choices>('POST', '/page/autocomplete', body, signal);

async function request<Answer>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ProblemError('Local Discord could not be reached. Is it still running?', { cause: error });
  }
  if (response.ok) return response.json() as Promise<Answer>;
  const problem = (await response.json().catch(() => ({}))) as Partial<PageProblem>;
  throw new ProblemError(problem.message ?? `The server answered ${response.status}. Try again.`);
}

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 8000;

/**
 * Follows the server for as long as the page is open: loads the state whenever the connection opens, then passes each
 * update on. Updates that arrive while the state is loading are passed on after it.
 */
export function follow(handlers: {
  onState(state: PageState): void;
  onUpdate(update: PageUpdate): void;
  onLost(): void;
}): void {
  let retryMs = FIRST_RETRY_MS;
  const connect = () => {
    const source = new EventSource('/page/updates');
    let waiting: PageUpdate[] | null = [];
    let lost = false;
    source.onopen = async () => {
      waiting = [];
      try {
        handlers.onState(await loadState());
      } catch {
        return lose();
      }
      if (lost) return;
      retryMs = FIRST_RETRY_MS;
      const arrived = waiting;
      waiting = null;
      for (const update of arrived) handlers.onUpdate(update);
    };
    source.onmessage = (event: MessageEvent<string>) => {
      const update = JSON.parse(event.data) as PageUpdate;
      if (waiting) waiting.push(update);
      else handlers.onUpdate(update);
    };
    // After an HTTP error EventSource gives up reconnecting without notice, so the page opens each new connection
    // itself.
    const lose = () => {
      if (lost) return;
      lost = true;
      source.close();
      handlers.onLost();
      setTimeout(connect, retryMs);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    };
    source.onerror = lose;
  };
  connect();
}
