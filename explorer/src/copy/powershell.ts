import { type CopiedQuery, copiedHeaders, copiedUrl } from "./copied-query.ts";

/**
 * Writes a query as a command of curl for PowerShell. Headers with double quotes come through the standard input, because
 * versions of PowerShell differ in how they pass such arguments.
 * @see https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_quoting_rules
 */
export function copyAsPowerShell(query: CopiedQuery): string {
  const headers = copiedHeaders(query);
  const config = headers
    .filter(([, value]) => value.includes('"'))
    .map(([name, value]) => `header = "${escapeConfig(`${name}: ${value}`)}"`);
  const others = headers
    .filter(([, value]) => !value.includes('"'))
    .map(([name, value]) => `-H ${quoteForPowerShell(`${name}: ${value}`)}`);
  const input = config.length === 0 ? "" : `${config.map(quoteForPowerShell).join(", ")} | `;
  const options = config.length === 0 ? "" : "--config - ";
  return [`${input}curl.exe ${options}${quoteForPowerShell(copiedUrl(query))}`, ...others].join(" `\n  ");
}

/** Within single quotes, PowerShell expands nothing; it takes typographic quotes for single quotes, too. */
function quoteForPowerShell(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201B]/gu, "$&$&")}'`;
}

/** @see https://curl.se/docs/manpage.html#-K */
function escapeConfig(text: string): string {
  return text.replaceAll("\\", String.raw`\\`).replaceAll('"', String.raw`\"`);
}
