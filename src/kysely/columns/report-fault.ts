/** Takes what is wrong with the mapping of a type to columns, and what to do about it. */
export type ReportFault = (message: string, fix: string) => void;
