/** A logger of the application: the service reports failures here that clients must not see. */
export interface Logger {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** A logger whose functions take the fields first, such as a logger of pino or bunyan. */
export interface FieldsFirstLogger {
  error(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
}

/**
 * Adapts a logger whose functions take the fields before the message, such as a logger of pino or bunyan.
 * @see docs/reference/services.md, Log failures
 */
export function fromPino(logger: FieldsFirstLogger): Logger {
  return Object.freeze<Logger>({
    error: (message, fields) => logger.error(fields, message),
    warn: (message, fields) => logger.warn(fields, message),
    info: (message, fields) => logger.info(fields, message),
  });
}

/** Adapts a logger of pino, which would otherwise drop the fields; returns any other logger as it is. */
export function adaptLogger(logger: Logger): Logger {
  // Only loggers of pino have `bindings()`.
  const { bindings, child } = logger as Partial<Record<"bindings" | "child", unknown>>;
  return typeof bindings === "function" && typeof child === "function"
    ? fromPino(logger as unknown as FieldsFirstLogger)
    : logger;
}

/** The default logger: it writes errors and warnings to the console. */
export const defaultLogger: Logger = Object.freeze({
  error(message: string, fields: Readonly<Record<string, unknown>>): void {
    console.error(message, fields);
  },
  warn(message: string, fields: Readonly<Record<string, unknown>>): void {
    console.warn(message, fields);
  },
  info(): void {
    // Only a logger of the application receives these.
  },
});
