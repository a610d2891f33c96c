import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { serve, type RunningServer } from "../../src/adapters/node.ts";
import { readGuide } from "./guide-program.ts";
import { openShop, type Shop } from "./shop.ts";

const run = promisify(execFile);
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const COMPILER_OPTIONS = {
  target: "es2022",
  module: "nodenext",
  strict: true,
  rootDir: ".",
  outDir: "out",
  types: ["node"],
  skipLibCheck: true,
};

let shop: Shop;
let server: RunningServer;
let folder: string;

beforeEach(async () => {
  shop = await openShop({ isPlain: false });
  server = await serve(shop.service, { port: 0 });
  // Below this folder, where the packages of the clients are found.
  await mkdir(here(".generated"), { recursive: true });
  folder = await mkdtemp(here(".generated/client-"));
  await writeFile(`${folder}/package.json`, JSON.stringify({ type: "commonjs" }));
  await writeFile(
    `${folder}/tsconfig.json`,
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["**/*.ts"], exclude: ["out"] }),
  );
  const metadata = await fetch(`${server.url}/odata/$metadata`);
  await mkdir(`${folder}/metadata`);
  await writeFile(`${folder}/metadata/shop.edmx`, await metadata.text());
});
afterEach(async () => {
  await server.close();
  await shop.close();
  await rm(folder, { recursive: true });
});

/**
 * Generates a client, and compiles it strictly with two programs that use it: the one of the guide must print what the guide
 * says, the output of the other is returned.
 */
async function generateAndUse(use: string, program: string, given: readonly string[]): Promise<unknown> {
  await run(process.execPath, [here(`node_modules/${program}`), ...given], { cwd: folder });
  await cp(here(`uses/${use}.ts`), `${folder}/use.ts`);
  const { code, prints } = await readGuide(use, "tsx");
  await writeFile(`${folder}/guide.ts`, code.replace('"https://shop.example/odata"', `"${server.url}/odata"`));
  const compiler = createRequire(import.meta.url).resolve("../../node_modules/typescript/bin/tsc");
  await run(process.execPath, [compiler, "-p", folder]).catch((error: unknown) => {
    throw new Error(String((error as { stdout?: string }).stdout), { cause: error });
  });
  const guide = await run(process.execPath, [`${folder}/out/guide.js`]);
  expect(guide.stdout.trim()).toBe(prints);
  const { stdout } = await run(process.execPath, [`${folder}/out/use.js`, `${server.url}/odata`]);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

test("the SAP Cloud SDK generates a client that lists, counts, searches, saves with ETags, calls operations and sends batches", async () => {
  const given = ["--input", "metadata", "--outputDir", ".", "--transpile=false", "--skipValidation"];
  const program = "@sap-cloud-sdk/generator/dist/cli.js";
  expect(await generateAndUse("sap-cloud-sdk", program, given)).toEqual({
    list: [
      [59, "Product 59", "59.5", "Lamps & more"],
      [58, "Product 58", "58.5", "Tables"],
    ],
    count: "60",
    categories: ["Chairs"],
    created: 61,
    changed: "Changed",
    conflict: 412,
    above: 11,
    next: [58, 57],
    found: ["Product 05"],
    restocked: 20,
    batch: [true, true],
  });
  const names = await shop.names();
  expect(names.slice(0, 4)).toEqual(["Product 01", "Changed", "Product 03", "Changed in a batch"]);
  expect(names.slice(-2)).toEqual(["New", "Added"]);
});

test("odata2ts generates a client that lists, reads, searches, saves with ETags, deletes and calls operations", async () => {
  const given = ["-s", "metadata/shop.edmx", "-o", "client", "--emit-mode", "ts", "--mode", "service"];
  expect(await generateAndUse("odata2ts", "@odata2ts/odata2ts/lib/run-cli.js", given)).toMatchObject({
    list: {
      "@odata.count": 4,
      value: [
        { Id: 51, Name: "Product 51", Category: { Name: "Chairs" } },
        { Id: 41, Name: "Product 41", Category: { Name: "Lamps & more" } },
      ],
    },
    one: { Id: 3, Name: "Product 03", Price: 3.5 },
    created: { Id: 61, Name: "New" },
    statuses: [201, 200, 204],
    guarded: [200, 412, 412],
    above: { value: 11 },
    next: { value: [{ Id: 3 }, { Id: 5 }] },
    found: { value: [{ Name: "Product 05" }] },
    discounted: 1.75,
    restocked: { value: 20 },
  });
  expect((await shop.names()).slice(0, 4)).toEqual(["Product 01", "Changed", "Product 03", "Product 05"]);
});
