import { randomBytes } from "node:crypto";
import type { Database } from "./project-arguments.ts";

/** The versions of packages that a project is tested with. */
export const VERSIONS = {
  "@types/node": "^24.19.2",
  "@types/pg": "^8.23.1",
  kysely: "^0.29.9",
  mysql2: "^3.24.6",
  pg: "^8.23.1",
  typescript: "^7.0.2",
} as const;

/** The packages that each database needs. */
const DRIVERS: Readonly<Record<Database, readonly (keyof typeof VERSIONS)[]>> = {
  sqlite: [],
  postgres: ["pg"],
  mariadb: ["mysql2"],
};

/** What differs between projects. */
export interface ProjectFacts {
  /** The name of the package. */
  readonly name: string;
  readonly database: Database;
  /** The range of versions of odatakit. */
  readonly odatakit: string;
  /** Whether the project has the tables of the example. */
  readonly isExample: boolean;
}

/** Returns the name of an npm package for a folder: lower case, with hyphens for all else. */
export function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, "-")
    .replaceAll(/^-+|-+$/gu, "");
  return name === "" ? "odata-service" : name;
}

/** Returns the text of package.json. */
export function packageJson({ name, database, odatakit, isExample }: ProjectFacts): string {
  const drivers = DRIVERS[database];
  const types = database === "postgres" ? (["@types/pg"] as const) : [];
  const node = "node --env-file-if-exists=.env";
  return jsonText({
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      start: `${node} src/main.ts`,
      dev: `${node} --watch src/main.ts`,
      test: `${node} --test`,
      check: "tsc",
      ...(isExample ? { seed: `${node} src/seed.ts` } : {}),
    },
    dependencies: { kysely: VERSIONS.kysely, odatakit, ...versionsOf(drivers) },
    devDependencies: versionsOf([...types, "@types/node", "typescript"].toSorted() as (keyof typeof VERSIONS)[]),
    engines: { node: ">=22.18" },
  });
}

/** Returns the text of `.env`: that of `.env.example` with keys that nobody else has. */
export function environmentFile(example: string): string {
  return example
    .replace(/^#.*\n/u, "# Git ignores this file.\n")
    .replaceAll(/replace-this-key-of-(?:staff|ada)/gu, () => randomBytes(24).toString("base64url"));
}

/** Returns the text of `.env.example` for an existing database. */
export function exampleOf(database: Database): string {
  const scheme = database === "postgres" ? "postgresql" : "mysql";
  const value = database === "sqlite" ? "shop.db" : `${scheme}://user:password@127.0.0.1/shop`;
  return `# Copied to .env, which git ignores.\n${variableOf(database, value)}`;
}

/** Returns the line of `.env` that names a database. */
export function variableOf(database: Database, value: string): string {
  return `${database === "sqlite" ? "DATABASE_FILE" : "DATABASE_URL"}=${value}\n`;
}

function versionsOf(names: readonly (keyof typeof VERSIONS)[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, VERSIONS[name]]));
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
