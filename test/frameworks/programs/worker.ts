import { handle } from "./service.ts";

// oxlint-disable-next-line import/no-default-export -- a Worker is the default export of its module
export default { fetch: (request: Request, env: unknown): Promise<Response> => handle(request, env) };
