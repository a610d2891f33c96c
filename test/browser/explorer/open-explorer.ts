import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page, PageOptions } from "../browser.ts";

/** A page with the explorer, and the complaints of its browser. */
export interface Explorer {
  readonly page: Page;
  /** Errors and warnings of the console, reports of the policy, and calls of `canary`. */
  readonly complaints: string[];
  /** The method and URL of each request below the root of the service, without the root. */
  readonly requests: string[];
  /** Shows a view as a link does, and waits until it is there. */
  readonly show: (fragment: string) => Promise<void>;
  /** Waits until nothing is loading. */
  readonly settle: () => Promise<void>;
}

/** Counts requests and ways through the history under way, and reports violations of the policy. */
const WATCH = `
addEventListener("securitypolicyviolation", (event) => complain("policy: " + event.violatedDirective + " " + event.blockedURI));
globalThis.underWay = 0;
const arrive = () => setTimeout(() => { globalThis.underWay -= 1; });
const send = fetch;
globalThis.fetch = async (...given) => {
  globalThis.underWay += 1;
  try {
    const answer = await send(...given);
    // The body may come later than the headers.
    answer.clone().arrayBuffer().then(arrive, arrive);
    return answer;
  } catch (error) {
    arrive();
    throw error;
  }
};
const back = history.back.bind(history);
history.back = () => {
  globalThis.underWay += 1;
  addEventListener("popstate", arrive, { once: true });
  back();
};
globalThis.canary = (text) => complain("ran: " + text);
`;

/** Frames, each with its timers, in which nothing may be loading: code that runs after a response may send a request. */
const QUIET = `new Promise((resolve) => {
  let quiet = 0;
  let frames = 0;
  const look = () => {
    frames += 1;
    const isBusy = globalThis.underWay > 0 || document.querySelector("[aria-busy=true]") !== null;
    quiet = isBusy ? 0 : quiet + 1;
    if (quiet > 3 || frames > 1800) resolve(quiet > 3);
    else requestAnimationFrame(() => setTimeout(look));
  };
  look();
})`;

/**
 * Opens the explorer of a service.
 * @param root the URL of the service, without a slash at the end
 */
export async function openExplorer(
  browser: Browser,
  root: string,
  fragment = "#/home",
  options: PageOptions = { viewport: { width: 1280, height: 800 } },
): Promise<Explorer> {
  const page = await browser.newPage({ locale: "en-GB", ...options });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => requests.push(`${request.method()} ${request.url().replace(root, "")}`));
  await page.exposeFunction("complain", (text) => complaints.push(text));
  await page.addInitScript({ content: WATCH });
  const settle = async (): Promise<void> => {
    if ((await page.evaluate(QUIET)) !== true) complaints.push("The page does not stop loading.");
  };
  await page.goto(`${root}/explorer${fragment}`);
  await settle();
  return {
    page,
    complaints,
    requests,
    settle,
    show: async (to) => {
      await page.evaluate(`location.hash = ${JSON.stringify(to)}`);
      await settle();
    },
  };
}

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Rules whose result depends on the width or the colours. */
export const LOOKS = ["color-contrast", "target-size", "scrollable-region-focusable"];

/** Returns the findings of axe on the page. @param rules the rules to run; absent: all */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const only = rules === undefined ? { type: "tag", values: TAGS } : { type: "rule", values: rules };
  const run = `(async () => {
    if (!globalThis.axe) { ${axe}; }
    const { violations } = await axe.run(document, { runOnly: ${JSON.stringify(only)}, resultTypes: ["violations"], preload: false });
    return violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary));
  })()`;
  return (await page.evaluate(run)) as readonly string[];
}
