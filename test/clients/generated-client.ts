import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readGuide, type GuideProgram } from "./read-guide.ts";
import { recordRequests, type SeenRequest } from "./recorded-requests.ts";
import { openShop, type Shop } from "./shop.ts";

const run = promisify(execFile);
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A folder with the metadata, the settings and the program of a guide, and the service that they use. */
export interface GeneratedClient {
  readonly shop: Shop;
  /** The root of the service. */
  readonly url: string;
  /** The requests to the service so far. */
  readonly requests: SeenRequest[];
  readonly folder: string;
  readonly guide: GuideProgram;
  /** Runs the command of the guide that generates the client. */
  readonly generate: () => Promise<void>;
  /** Compiles the TypeScript of the folder strictly, with the compiler that the guides install. */
  readonly compile: () => Promise<void>;
  /** Runs a compiled program, and returns its output. */
  readonly use: (program: string, ...given: readonly string[]) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Serves the shop, and prepares a folder for the client of a guide: `generate` and `compile` it, then `use("guide")`. */
export async function openGeneratedClient(name: string): Promise<GeneratedClient> {
  const shop = await openShop({ isPlain: false });
  const requests: SeenRequest[] = [];
  const server = createServer(recordRequests(shop.service, requests));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/odata`;
  // Below this folder, where the packages of the clients are found.
  await mkdir(here(".generated"), { recursive: true });
  const folder = await mkdtemp(here(".generated/client-"));
  await writeFile(`${folder}/package.json`, JSON.stringify({ type: "commonjs" }));
  const guide = await readGuide(name, "tsx");
  await writeFile(`${folder}/tsconfig.json`, guide.settings);
  await writeFile(`${folder}/guide.ts`, guide.code.replace('"https://shop.example/odata"', `"${url}"`));
  await mkdir(`${folder}/metadata`);
  await writeFile(`${folder}/metadata/shop.edmx`, await (await fetch(`${url}/$metadata`)).text());
  requests.length = 0;
  const node = async (...given: readonly string[]): Promise<string> => (await started(folder, given)).stdout;
  return {
    shop,
    url,
    requests,
    folder,
    guide,
    generate: async () => {
      const [program = "", ...given] = generatorOf(guide).split(" ").slice(1);
      await node(here(`node_modules/.bin/${program}`), ...given);
    },
    compile: async () => {
      await node(here("node_modules/typescript/bin/tsc"), "-p", folder);
    },
    use: (program, ...given) => node(`${folder}/out/${program}.js`, ...given),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await shop.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Runs Node in a folder. The error of a failed program has its output. */
async function started(folder: string, given: readonly string[]): Promise<{ readonly stdout: string }> {
  return run(process.execPath, [...given], { cwd: folder }).catch((error: unknown) => {
    throw new Error(String((error as { stdout?: string }).stdout), { cause: error });
  });
}

/** The command of a guide that generates the client: the first that `npx` runs. */
export function generatorOf({ commands }: GuideProgram): string {
  return commands.find((command) => command.startsWith("npx ")) ?? "";
}
