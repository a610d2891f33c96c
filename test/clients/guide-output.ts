import { readFile } from "node:fs/promises";
import { generatorOf, openGeneratedClient } from "./generated-client.ts";
import { LICENSED_GUIDES, openGuide } from "./guide-program.ts";
import { packageFile } from "./package-files.ts";
import type { SeenRequest } from "./recorded-requests.ts";
import type { Output } from "./terminal-page.ts";

/** The packages whose versions the pictures name. */
const PACKAGES: Readonly<Record<string, string>> = {
  breeze: "breeze-odata4",
  kendo: "@progress/kendo-ui",
  "o-js": "odata",
  "odata-client": "@odata/client",
  "odata-query": "odata-query",
  odata2ts: "@odata2ts/odata2ts",
  "sap-cloud-sdk": "@sap-cloud-sdk/odata-v4",
};

/** The name and the version of the installed package of a guide. */
async function titleOf(name: string): Promise<string> {
  const title = PACKAGES[name] ?? name;
  const path = packageFile(`/packages/${title}/package.json`) ?? "";
  const { version } = JSON.parse(await readFile(path, "utf8")) as { readonly version: string };
  return `${title} ${version}`;
}

const requestsOf = ({ requests }: { readonly requests: readonly SeenRequest[] }): Output => ({
  title: "Requests to the service",
  lines: requests.map(({ line, status }) => `${String(status)} ${line}`),
});

/** Runs the program of a guide in a page. Returns its output and its requests. */
export async function outputInPage(name: string): Promise<readonly Output[]> {
  const client = await openGuide(name, LICENSED_GUIDES.includes(name) ? "licensed" : ".");
  try {
    const printed = String(await client.run("printed()"));
    return [{ title: `The program prints, with ${await titleOf(name)}`, lines: [printed] }, requestsOf(client)];
  } finally {
    await client.close();
  }
}

/** Generates a client by the command of a guide, and runs its program. Returns the commands with their output, and the requests. */
export async function outputOfGenerated(name: string): Promise<readonly Output[]> {
  const client = await openGeneratedClient(name);
  try {
    await client.generate();
    await client.compile();
    const printed = (await client.use("guide")).trim();
    const lines = [`$ ${generatorOf(client.guide)}`, "$ npx tsc", "$ node out/guide.js", printed];
    return [{ title: `Generate and run, with ${await titleOf(name)}`, lines }, requestsOf(client)];
  } finally {
    await client.close();
  }
}
