/** Where the service reports what no client may see. */
export interface Logger {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** A logger whose functions take the fields first, as those of pino and bunyan do. */
export interface FieldsFirstLogger {
  error(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
}

/**
 * Adapts a logger whose functions take the fields before the message, such as one of pino or bunyan.
 * @see docs/reference/services.md, Log failures
 */
export function fromPino(logger: FieldsFirstLogger): Logger {
  return Object.freeze<Logger>({
    error: (message, fields) => logger.error(fields, message),
    warn: (message, fields) => logger.warn(fields, message),
    info: (message, fields) => logger.info(fields, message),
  });
}

/** Returns the logger, adapted where it is one of pino: called as it is, it would drop the fields. */
export function adaptLogger(logger: Logger): Logger {
  // Only pino has a function that returns the bindings of a logger.
  const { bindings, child } = logger as Partial<Record<"bindings" | "child", unknown>>;
  return typeof bindings === "function" && typeof child === "function"
    ? fromPino(logger as unknown as FieldsFirstLogger)
    : logger;
}

/** The logger of a service that is given none: unhandled errors go to the console, all else nowhere. */
export const defaultLogger: Logger = Object.freeze({
  error(message: string, fields: Readonly<Record<string, unknown>>): void {
    console.error(message, fields);
  },
  warn(message: string, fields: Readonly<Record<string, unknown>>): void {
    console.warn(message, fields);
  },
  info(): void {
    // Nothing is worth a line unless the application asks for it with a logger of its own.
  },
});
