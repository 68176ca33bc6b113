/** The flags of the `policy` commands. */
export interface PolicyFlags {
  readonly ignoreUnknownKeys?: boolean;
  readonly outputFile?: string;
}
