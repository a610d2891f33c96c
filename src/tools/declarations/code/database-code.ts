import { Imports, fitsLine, stringLiteral } from "./layout.ts";

/** The database that the written module opens. Servers are opened by the environment variable `DATABASE_URL`. */
export type CodeTarget =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "pglite"; readonly folder: string }
  | { readonly kind: "postgres" | "mariadb" };

/** The parts of the module that differ by database. */
interface DatabaseParts {
  /** Names and the packages they come from. */
  readonly imports: ReadonlyArray<readonly [name: string, from: string]>;
  /** The statement before the database. */
  readonly prepare: string;
  readonly dialect: string;
}

/** Writes the module that opens the database. No password becomes part of it. */
export function databaseModule(target: CodeTarget): string {
  const { imports: given, prepare, dialect } = partsOf(target);
  const imports = new Imports("./database.ts");
  imports.use("default process", "node:process");
  imports.use("Kysely", "kysely");
  for (const [name, from] of given) imports.use(name, from);
  return `${imports.text()}
${prepare}

/** The database of the service. */
export const db = new Kysely<object>({ dialect: ${dialect} });
`;
}

function partsOf(target: CodeTarget): DatabaseParts {
  switch (target.kind) {
    case "sqlite":
      return {
        imports: [["sqliteDialect", "odatakit/sqlite"]],
        prepare: variable("file", "DATABASE_FILE", target.file),
        dialect: "sqliteDialect(file)",
      };
    case "pglite":
      return {
        imports: [
          ["PGlite", "@electric-sql/pglite"],
          ["PGliteDialect", "kysely"],
        ],
        prepare: `${variable("folder", "DATABASE_FOLDER", target.folder)}\nconst pglite = new PGlite(folder);`,
        dialect: "new PGliteDialect({ pglite })",
      };
    case "postgres":
      return {
        imports: [
          ["Pool", "pg"],
          ["postgresDialect", "odatakit/postgres"],
        ],
        prepare: 'const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });',
        dialect: "postgresDialect({ pool })",
      };
    case "mariadb":
      return {
        imports: [
          ["createPool", "mysql2"],
          ["mariadbDialect", "odatakit/mariadb"],
        ],
        prepare: 'const pool = createPool(process.env["DATABASE_URL"] ?? "");',
        dialect: "mariadbDialect({ pool })",
      };
  }
}

/** Writes a variable of the environment with a default, as `oxfmt` breaks it. */
function variable(name: string, environment: string, value: string): string {
  const given = `process.env["${environment}"] ??`;
  const literal = stringLiteral(value);
  const single = `const ${name} = ${given} ${literal};`;
  if (fitsLine(single)) return single;
  const below = `  ${given} ${literal};`;
  return `const ${name} =\n${fitsLine(below) ? below : `  ${given}\n  ${literal};`}`;
}
