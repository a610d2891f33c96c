import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { makeDatabase } from "./make-database.ts";
import type { Database, ProjectArguments } from "./project-arguments.ts";
import { environmentFile, exampleOf, packageJson, packageName, variableOf } from "./project-files.ts";

/** Writes the declarations of a database into `src/model` of a project. @returns whether it succeeded; it prints its errors */
export type ModelWriter = (from: string, project: string, version: string) => Promise<boolean>;

/** A project to create. */
export interface Project extends ProjectArguments {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** The folder of the templates. */
  readonly template: string;
  /** The version of odatakit. */
  readonly version: string;
  readonly pull: ModelWriter;
}

/**
 * Writes all files of a project, or none.
 * @returns null, or why the project was not created
 */
export async function createProject(
  project: Project,
): Promise<{ readonly message: string; readonly exitCode: number } | null> {
  const { folder, from, template, version, pull } = project;
  const taken = takenFolder(folder);
  if (taken !== null) return { message: taken, exitCode: 2 };
  const draft = mkdtempSync(join(tmpdir(), "create-odatakit-"));
  try {
    const database = from === null ? project.database : databaseOf(from);
    cpSync(join(template, "base"), draft, { recursive: true });
    const parts = from === null ? ["example", database] : ["from"];
    for (const part of parts) cpSync(join(template, part), draft, { recursive: true });
    if (from !== null && !(await pull(sourceOf(from), draft, version))) {
      return { message: `No project was created: the declarations of the database are missing.`, exitCode: 1 };
    }
    // npm leaves a file of this name out of every package.
    renameSync(join(draft, "gitignore"), join(draft, ".gitignore"));
    const facts = { name: packageName(basename(folder)), database, odatakit: `^${version}`, isExample: from === null };
    writeFileSync(join(draft, "package.json"), packageJson(facts));
    if (from !== null) writeFileSync(join(draft, ".env.example"), exampleOf(database));
    const example = readFileSync(join(draft, ".env.example"), "utf8");
    writeFileSync(join(draft, ".env"), from === null ? environmentFile(example) : variableOf(database, sourceOf(from)));
    if (from === null && database === "sqlite") await makeDatabase(draft);
    mkdirSync(folder, { recursive: true });
    cpSync(draft, folder, { recursive: true });
    return null;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Returns why the folder cannot be used, or null if it is empty or missing. */
function takenFolder(folder: string): string | null {
  if (!existsSync(folder)) return null;
  if (!statSync(folder).isDirectory()) return `"${folder}" is a file. Name a folder that is empty or missing.`;
  const [first] = readdirSync(folder);
  return first === undefined
    ? null
    : `The folder "${folder}" is not empty: it contains "${first}". Name another folder.`;
}

/** The path of a file is absolute, because the project is another folder. */
function sourceOf(from: string): string {
  return databaseOf(from) === "sqlite" ? resolve(from) : from;
}

function databaseOf(from: string): Database {
  if (/^postgres(?:ql)?:/iu.test(from)) return "postgres";
  return /^(?:mysql|mariadb):/iu.test(from) ? "mariadb" : "sqlite";
}
