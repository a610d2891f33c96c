import { Kysely } from "kysely";
import { sqliteDialect } from "odatakit/sqlite";
import type { PatientReader } from "../../../src/databases/connection/patient-reader.ts";
import type { AnyDatabase } from "./orders.ts";

/** A response, without the parts that differ from request to request. */
interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly logged: readonly string[];
}

/** The method of a service that tests call. */
interface Asked {
  fetch(request: Request): Response | PromiseLike<Response>;
}

/** A SQLite database whose statements of JSON can be refused, so that the same request reads rows. */
export class RefusingDatabase {
  readonly db: AnyDatabase;
  readonly logged: string[] = [];
  /** A logger for services over the database. */
  readonly logger: { error(message: string, fields?: unknown): void; warn(): void; info(): void };
  /** How many statements of JSON have run. */
  written = 0;
  isRefusing = false;

  constructor(file: string) {
    const dialect = sqliteDialect(file);
    this.db = new Kysely({
      dialect: {
        createDriver: () => dialect.createDriver(),
        createQueryCompiler: () => dialect.createQueryCompiler(),
        createIntrospector: (instance) => dialect.createIntrospector(instance),
        createAdapter: () => {
          const adapter = dialect.createAdapter();
          const reader = adapter as unknown as Record<keyof PatientReader, PatientReader["readFirst"]>;
          const { readFirst } = reader;
          reader.readFirst = (text, values, patience) => {
            if (text.startsWith("select cast(group_concat(")) {
              if (this.isRefusing) throw new Error("JSON cannot hold BLOB values");
              this.written += 1;
            }
            return readFirst.call(adapter, text, values, patience);
          };
          return adapter;
        },
      },
    });
    const error = (_message: string, fields?: unknown): void => {
      this.logged.push(String((fields as { readonly err?: unknown } | undefined)?.err));
    };
    this.logger = { error, warn: () => {}, info: () => {} };
  }

  /** Sends a request twice: the database may write JSON, and must return rows. */
  async both(
    service: Asked,
    path: string,
    accept = "application/json",
  ): Promise<{ readonly written: Answer; readonly read: Answer }> {
    this.isRefusing = false;
    const written = await this.#ask(service, path, accept);
    this.isRefusing = true;
    const read = await this.#ask(service, path, accept);
    return { written, read };
  }

  async #ask(service: Asked, path: string, accept: string): Promise<Answer> {
    this.logged.length = 0;
    const response = await service.fetch(
      new Request(`http://service.example/${encodeURI(path)}`, { headers: { accept } }),
    );
    const headers = [...response.headers].filter(([name]) => name !== "x-request-id");
    const body = (await response.text()).replace(/"requestId":"[^"]*"/u, "");
    return { status: response.status, headers, body, logged: [...this.logged] };
  }
}
