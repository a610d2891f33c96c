import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { runCreate } from "../../../packages/create-odatakit/src/run-create.ts";
import { required } from "../../../src/base/required.ts";
import { readSource } from "../../house/source-files.ts";
import { makeApplicationFolder, type ApplicationFolder } from "../declarations/code/application-folder.ts";
import { build, BUILT_MAIN, startBuilt } from "./built-program.ts";
import { testFolder } from "./run-program.ts";

const PAGE = readSource("docs/from-a-database-to-a-product.md").text;

/** The tables of the page. */
const SHOP = `create table customers (id integer primary key, name text not null, email text not null, password_hash text);
create table orders (id integer primary key, customer_id integer not null references customers, placed_on date not null, note text);
create index orders_by_customer on orders (customer_id);
insert into customers values (1, 'Ada', 'ada@shop.example', 'x'), (2, 'Grace', 'grace@shop.example', 'y');
insert into orders values (1, 1, '2026-02-28', null), (2, 2, '2026-03-01', 'fast');`;

/** The blocks of the page by their language. */
function blocksOf(language: string): readonly string[] {
  return Array.from(PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm")), ([, text = ""]) => text);
}

function textBlock(part: string): string {
  return required(
    blocksOf("text").find((block) => block.includes(part)),
    `The page has no block with ${part}.`,
  );
}

/** Runs the built command as \`npx odatakit\`. */
function odatakit(folder: string, line: string): { readonly code: number | null; readonly text: string } {
  const given = line.split(" ");
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUILT_MAIN, ...given], {
    cwd: folder,
    encoding: "utf8",
  });
  return { code: status, text: stdout + stderr };
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

beforeAll(build);

test("the page shows the commands that run here", () => {
  expect(blocksOf("sh").map((block) => block.trim().split("\n"))).toEqual([
    ["npx odatakit inspect ./shop.db"],
    ["npx odatakit serve ./shop.db"],
    [String.raw`curl "http://127.0.0.1:3000/odata/Orders?\$expand=Customer&\$orderby=PlacedOn%20desc&\$top=3"`],
    ["npm create odatakit@latest shop -- --from ./shop.db", "cd shop", "npm install", "npm test"],
    ["npx odatakit check src/service.ts --max-warnings 0", "npx odatakit pull ../shop.db --out src/model --check"],
    ["docker build -t shop .", "docker run --env-file .env -p 3000:3000 shop"],
  ]);
});

test("a database becomes a product", async () => {
  const folder = testFolder();
  const database = new DatabaseSync(join(folder, "shop.db"));
  database.exec(SHOP);

  const inspected = odatakit(folder, "inspect ./shop.db");
  expect(inspected.code).toBe(0);
  expect(inspected.text).toContain(textBlock("2 entity sets").trim());

  const { url, end } = await startBuilt(join(folder, "shop.db"));
  const response = await fetch(`${url}/Orders?$expand=Customer&$orderby=PlacedOn%20desc&$top=3`);
  expect(await response.json()).toMatchObject({ value: [{ Id: 2, Customer: { Name: "Grace" } }, { Id: 1 }] });
  expect(await end()).toBe(0);

  // npm would fetch the package that is about to be published.
  let printed = "";
  const stream = { write: (text: string) => (printed += text) };
  const project = join(folder, "shop");
  const code = await runCreate(
    [project, "--from", join(folder, "shop.db")],
    { stdout: stream, stderr: stream },
    {
      pull: (from, draft) => {
        const run = spawnSync(process.execPath, [BUILT_MAIN, "pull", from, "--out", "src/model"], { cwd: draft });
        return Promise.resolve(run.status === 0);
      },
    },
  );
  expect([code, printed]).toEqual([0, expect.stringContaining("Continue with")]);
  const application: ApplicationFolder = makeApplicationFolder();
  try {
    symlinkSync(join(application.path, "node_modules"), join(project, "node_modules"), "junction");
    const tested = execFileSync("npm", ["test"], { cwd: project, encoding: "utf8" });
    expect(tested).toMatch(/^\S* ?fail 0$/m);
    await makeYours(project, database);
    await writeRules(project);
  } finally {
    application.remove();
    database.close();
  }
});

/** The section "Make it yours", and the commands that "Keep it correct" runs in CI. */
async function makeYours(project: string, database: DatabaseSync): Promise<void> {
  const order = join(project, "src/model/order.ts");
  expect(readFileSync(order, "utf8")).toContain(textBlock('entityType("Order"').trim());
  edit(order, 'operations: ["read"],', 'operations: ["read", "delete"],');
  appendFileSync(order, "\n// Orders stay for ten years.\n");
  expect(odatakit(project, "pull ../shop.db --out src/model --check").code).toBe(0);
  database.exec("alter table orders add column shipped_on date");
  expect(odatakit(project, "pull ../shop.db --out src/model --check").code).toBe(1);
  const [, ...shown] = textBlock("kept 2 edits").trimEnd().split("\n");
  expect(odatakit(project, "pull ../shop.db --out src/model").text).toContain(shown.join("\n"));
  edit(order, 'operations: ["read", "delete"],', 'operations: ["read"],');
  const checked = odatakit(project, "check src/service.ts --max-warnings 0");
  expect([checked.code, checked.text]).toEqual([0, expect.stringContaining("0 errors, 0 warnings")]);
}

/** The section "Write rules". */
async function writeRules(project: string): Promise<void> {
  const service = join(project, "src/model/service.ts");
  const text = readFileSync(service, "utf8");
  const declared = /export const service = odataService\(\{[^]*?\n\}\);\n/.exec(text)?.[0] ?? expect.fail();
  writeFileSync(
    service,
    text
      .replace(declared, textBlock("authenticate: ({ headers })"))
      .replace("import { odataService }", "import { authenticated, odataService }")
      .replace(
        'import { entitySets } from "./index.ts";',
        'import { findUser } from "../users.ts";\nimport { entitySets } from "./index.ts";',
      ),
  );
  writeFileSync(
    join(project, "src/users.ts"),
    `export interface User {
  readonly id: string;
  readonly roles: readonly string[];
  readonly customerId: bigint | null;
}

declare module "odatakit" {
  interface Register {
    user: User;
  }
}

export function findUser(key: string | null): User | null {
  if (key === "ada") return { id: "ada", roles: [], customerId: 1n };
  return key === "staff" ? { id: "staff", roles: [], customerId: null } : null;
}
`,
  );
  const order = join(project, "src/model/order.ts");
  edit(order, 'operations: ["read"],', `operations: ["read"],\n${textBlock("rows: (user, order)").trimEnd()}`);
  edit(order, "import { edm,", "import { allRows, edm,");
  const program = `const { service } = await import("./src/service.ts");
    const send = async (headers) => {
      const response = await service.fetch(new Request("http://service.example/odata/Orders?$select=Id", { headers }));
      return response.status === 200 ? (await response.json()).value.map(({ Id }) => Id) : response.status;
    };
    console.log(JSON.stringify([await send({}), await send({ "x-api-key": "ada" }), await send({ "x-api-key": "staff" })]));`;
  const given = ["--env-file=.env", "--no-warnings", "--input-type=module", "-e", program];
  const run = spawnSync(process.execPath, given, { cwd: project, encoding: "utf8" });
  expect([run.stderr, run.stdout]).toEqual(["", "[401,[1],[1,2]]\n"]);
  expect(spawnSync("npm", ["run", "--silent", "check"], { cwd: project, encoding: "utf8" }).stdout).toBe("");
}
