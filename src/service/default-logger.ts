import type { Logger } from "../definition/logger.ts";

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
