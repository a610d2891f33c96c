import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { StreamStore } from "../../edm/stream-property.ts";
import type { ODataRequest } from "../../http/odata-request.ts";
import { type ComposedServices, composeServices, readyAll } from "../../service/compose-services.ts";
import type { ODataService } from "../../service/odata-service.ts";
import { Probes } from "../../service/probes.ts";
import { checkNodeVersion } from "./check-node-version.ts";
import { Compression } from "./compression.ts";
import { FileStore } from "./file-store.ts";
import { faultResponse, MALFORMED_URL } from "./node-client-error.ts";
import { fromIncomingMessage, http2StreamOf } from "./node-request.ts";
import { type SentResponse, sendOrFail } from "./node-response.ts";
import { type Listener, NodeServer } from "./node-server.ts";
import { type ListenOptions, resolveServeOptions, type ServeSettings } from "./serve-options.ts";

/** Node.js passes each other byte of HTTP/2 on as one character, which is not the character that the client means. */
const ASCII = /^[\x21-\x7e]*$/;

/**
 * Makes a store that keeps each stream in a file of a folder. Names of files are ids that the store chooses. A file is whole
 * and on the disk before its id is known, and nothing is left of one that is not completed.
 * @param directory the folder, which is made by the first write; no other program may write to it
 * @see docs/guides/streams.md, Files
 */
export function fileStore(directory: string): StreamStore {
  return new FileStore(directory);
}

/** Where `serve` listens, and how long its connections may take. @see docs/guides/deployment.md, Timeouts */
export type ServeOptions = ListenOptions;

/** A running server. */
export interface RunningServer {
  /** Scheme, host and port, such as `http://localhost:3000`. The prefix of a service follows. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops the server after `drainDelay`. It accepts no new connections, finishes pending requests and closes idle connections.
   * Resolves when all connections are closed and the work of `ctx.afterCommit` has ended, after another `drainTimeout` at the
   * latest. Further calls return the same promise.
   */
  close(): Promise<void>;
}

/**
 * Creates a request listener for `node:http`, `node:https`, `node:http2` or a framework, over one service or several. Each
 * service is served at its prefix. The listener creates no Fetch objects.
 * @throws ConfigurationError if two services share a prefix or a name, and on Node.js below 22.18
 */
export function toNodeHandler(
  services: ODataService | readonly ODataService[],
): (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void {
  checkNodeVersion();
  const listener = toListener(composeServices(services));
  // The messages of HTTP/2 have the members of those of HTTP/1.1 that are read here.
  return (request, response) => listener(request as IncomingMessage, response as ServerResponse, false);
}

/** Handles the requests of a listener. */
interface RequestHandler extends Pick<ComposedServices, "reportFailure"> {
  handle(request: ODataRequest): SentResponse | Promise<SentResponse>;
}

function toListener(services: RequestHandler): Listener {
  return (request, response, awaitsContinue) => {
    const odata = fromIncomingMessage(request, response, { awaitsContinue });
    const send = (answer: SentResponse): void =>
      sendOrFail(answer, response, (error) => {
        response.destroy();
        services.reportFailure(odata, answer, error);
      });
    const isValid = http2StreamOf(request) === null || ASCII.test(odata.target);
    const answer = isValid ? services.handle(odata) : faultResponse(MALFORMED_URL);
    if (answer instanceof Promise) void answer.then(send);
    else send(answer);
  };
}

/**
 * Serves one service or several over HTTP.
 * @param services each is served at its prefix
 * @returns a promise that resolves when the databases of the services are checked and the server listens
 * @throws ConfigurationError if two services share a prefix or a name, if options are invalid, if a database differs from the
 * declarations, and on Node.js below 22.18; Error if a database cannot be reached or the port is in use
 */
export async function serve(
  services: ODataService | readonly ODataService[],
  options: ServeOptions = {},
): Promise<RunningServer> {
  const settings = resolveServeOptions(options);
  const { port, host } = settings;
  checkNodeVersion();
  const hosted = hostServices(services, settings);
  const server = new NodeServer(toListener(hosted), settings);
  await readyAll(services);
  const address = await server.listen(port, host).catch((error: NodeJS.ErrnoException) => {
    throw explainListenError(error, port, host);
  });
  let closing: Promise<void> | undefined;
  return {
    url: `http://${toUrlHost(host)}:${String(address.port)}`,
    port: address.port,
    close: () => {
      hosted.drain();
      return (closing ??= server
        .drain(() => hosted.drainWork())
        .then((isDone) => {
          if (!isDone) hosted.reportLeftWork();
        }));
    },
  };
}

/** Services with everything that `serve` adds to them. */
interface HostedServices extends RequestHandler {
  /** Reports from now on that the process accepts no new requests. */
  drain(): void;
  /** Waits for the work of `ctx.afterCommit`. */
  drainWork(): Promise<void>;
  /** Logs that such work is still running when the server ends. */
  reportLeftWork(): void;
}

/**
 * Adds compression and health checks to services.
 * @throws ConfigurationError as for `composeServices`, and for the path of a health check that belongs to a service
 * @see docs/guides/production.md
 */
function hostServices(
  services: ODataService | readonly ODataService[],
  { compression: settings, health, ready }: ServeSettings,
): HostedServices {
  const composed = composeServices(services);
  const listed: readonly ODataService[] = "handle" in services ? [services] : services;
  const probes = health === undefined && ready === undefined ? null : new Probes({ health, ready }, listed);
  const compression = settings === null ? null : new Compression(settings);
  return {
    handle: (request) =>
      probes?.answer(request) ??
      (compression === null ? composed.handle(request) : compressed(composed, compression, request)),
    reportFailure: (request, response, error) => composed.reportFailure(request, response, error),
    drain: () => probes?.drain(),
    drainWork: async () => {
      await Promise.all(listed.map((service) => service.drain()));
    },
    reportLeftWork: () => {
      for (const { logger } of listed.slice(0, 1)) logger.warn(LEFT_WORK, {});
    },
  };
}

const LEFT_WORK =
  "The server has closed, but work of ctx.afterCommit is still running. Raise `drainTimeout`, or write such work to a table.";

function compressed(
  composed: ComposedServices,
  compression: Compression,
  request: ODataRequest,
): SentResponse | Promise<SentResponse> {
  const refuse = (error: unknown): SentResponse => composed.refuse(request, error);
  try {
    // A response that the client refuses must not be the result of a write.
    const chosen = compression.choose(request);
    const answer = composed.handle(request);
    if (!(answer instanceof Promise)) return compression.apply(chosen, answer);
    return answer.then((response) => compression.apply(chosen, response)).catch(refuse);
  } catch (error) {
    return refuse(error);
  }
}

function explainListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === "EADDRINUSE") {
    return new Error(
      `Port ${String(port)} of ${host} is in use. Stop the program that listens there, or use another port.`,
      { cause: error },
    );
  }
  if (error.code === "EACCES") {
    return new Error(`Port ${String(port)} of ${host} requires privileges. Use a port above 1023.`, {
      cause: error,
    });
  }
  return error;
}

/** A server that listens on all addresses is reached as localhost. */
function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
