import { checkOptions, describe, isObject, type OptionTable } from "../definition/option-table.ts";
import { ConfigurationError, type ConfigurationFault } from "../errors/configuration-error.ts";

/** Where `serve` listens, and how long its connections may take. All times are milliseconds; null means no limit. */
export interface ListenOptions {
  /** The TCP port. With 0 the system chooses one. Default 3000. */
  readonly port?: number | undefined;
  /** The host name or address to listen on. Default `localhost`, which only this machine can reach. */
  readonly host?: string | undefined;
  /** How long `close` waits for requests before it destroys their connections. Default 10,000. */
  readonly drainTimeout?: number | null | undefined;
  /** How long a client may take to send the request line and the headers. Default 20,000. */
  readonly headersTimeout?: number | null | undefined;
  /** How long a client may take to send a whole request, body included. Default 300,000. */
  readonly requestTimeout?: number | null | undefined;
  /** How long a connection stays open between two requests. Default 5,000. */
  readonly keepAliveTimeout?: number | null | undefined;
  /** How long a client may pause while a response waits to be read. Default 30,000. */
  readonly slowReaderTimeout?: number | null | undefined;
}

/** The options of `serve` with defaults filled in. */
export type ServeSettings = { readonly [Name in keyof ListenOptions]-?: Exclude<ListenOptions[Name], undefined> };

const TIME = { kind: "limit", least: 1 } as const;

const TABLE: OptionTable<keyof ListenOptions> = Object.freeze({
  port: { kind: "any" },
  host: { kind: "text" },
  drainTimeout: TIME,
  headersTimeout: TIME,
  requestTimeout: TIME,
  keepAliveTimeout: TIME,
  slowReaderTimeout: TIME,
});

const DEFAULTS: ServeSettings = Object.freeze({
  port: 3000,
  host: "localhost",
  drainTimeout: 10_000,
  headersTimeout: 20_000,
  requestTimeout: 300_000,
  keepAliveTimeout: 5_000,
  slowReaderTimeout: 30_000,
});

/** The longest time that a timer of Node.js can wait: 24.8 days. */
const MAX_TIME = 2 ** 31 - 1;
const MAX_PORT = 65_535;

/**
 * Fills in the defaults of `serve`.
 * @throws ConfigurationError listing all options that are unknown or invalid
 * @see docs/guides/deployment.md, Timeouts
 */
export function resolveServeOptions(options: ListenOptions): ServeSettings {
  const faults = [...findFaults(options)];
  if (faults.length > 0) throw new ConfigurationError(faults);
  const stated = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(stated) };
}

function* findFaults(options: unknown): Iterable<ConfigurationFault> {
  if (!isObject(options)) {
    yield { message: `The options of serve are ${describe(options)}.`, fix: "Give an object, such as { port: 8080 }." };
    return;
  }
  yield* checkOptions(TABLE, options, "serve", {});
  const { port } = options;
  if (port !== undefined && !(typeof port === "number" && Number.isInteger(port) && port >= 0 && port <= MAX_PORT)) {
    const message = `\`port\` of serve cannot be ${describe(port)}.`;
    yield { message, fix: `Give a whole number from 0 to ${String(MAX_PORT)}; 0 lets the system choose.` };
  }
  for (const [name, value] of Object.entries(options)) {
    if (name === "port" || typeof value !== "number" || value <= MAX_TIME) continue;
    const message = `\`${name}\` of serve cannot be ${String(value)}: a timer waits at most ${String(MAX_TIME)} ms.`;
    yield { message, fix: "Give fewer milliseconds, or null for no limit." };
  }
}
