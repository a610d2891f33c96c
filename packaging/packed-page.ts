import { posix } from "node:path";

/** The facts that decide the targets of the links of a page. */
export interface PackedPlaces {
  /** The `files` of package.json: paths, and with a leading `!` the paths that are left out. */
  readonly files: readonly string[];
  /** The address of the repository on the web. */
  readonly repository: string;
  /** The name of the commit from which the package is made, such as its tag. */
  readonly commit: string;
}

/** npm packs these files of the root in any case. */
const ALWAYS: ReadonlySet<string> = new Set(["package.json", "README.md", "LICENSE"]);
/** Code, in which no link is changed; the target of a link; the target of a definition. */
const TARGETS = /^ *```[\s\S]*?^ *```[ ]*$|`[^`\n]*`|(?<=\]\()[^()\s]+|(?<=^\[[^\]]+\]: )\S+$/gmu;
/** Targets that are not paths: URLs, and headings of the same page. */
const NO_PATH = /^(?:[a-z][a-z+.-]*:|#|`)/u;
const PICTURE = /\.(?:png|svg)$/u;

/**
 * Returns a page as the package contains it: relative links to files that are not packed lead to the repository.
 * @param page the path of the page from the root of the project
 */
export function packedPage(page: string, text: string, places: PackedPlaces): string {
  return text.replaceAll(TARGETS, (target) => {
    if (NO_PATH.test(target.trimStart())) return target;
    const [file = "", anchor] = target.split("#");
    const path = posix.join(posix.dirname(page), decodeURI(file));
    if (isPacked(path, places.files)) return target;
    const kind = PICTURE.test(path) ? "raw" : "blob";
    return `${places.repository}/${kind}/${places.commit}/${encodeURI(path)}${anchor === undefined ? "" : `#${anchor}`}`;
  });
}

/** Returns whether the package has a file or folder. */
function isPacked(path: string, files: readonly string[]): boolean {
  if (ALWAYS.has(path)) return true;
  const isListed = (prefix: string): boolean =>
    files
      .filter((entry) => entry.startsWith("!") === (prefix === "!"))
      .some((entry) => `${prefix}${path}/`.startsWith(`${entry}/`));
  return isListed("") && !isListed("!");
}
