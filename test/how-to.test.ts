import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs', 'how-to.md'), 'utf8');
const blocks = [...page.matchAll(/^```ts\n\/\/ (src\/\S+\.ts)\n([^]*?)^```$/gmu)].map(([, file = '', code = '']) => ({
  file: join(root, file),
  code,
}));

describe('the examples of docs/how-to.md', () => {
  it('are four', () => assert.equal(blocks.length, 4));

  it('compile where they say they stand', () => {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
    const plain = ts.createCompilerHost(options);
    const codes = new Map(blocks.map(({ file, code }) => [file, code]));
    const folders = new Set(blocks.map(({ file }) => dirname(file)));
    const read = (file: string) => codes.get(file) ?? plain.readFile(file);
    const host: ts.CompilerHost = {
      ...plain,
      readFile: read,
      fileExists: (file) => codes.has(file) || plain.fileExists(file),
      // A folder that the example would make.
      directoryExists: (folder) => folders.has(folder) || ts.sys.directoryExists(folder),
      getSourceFile: (file, language) => {
        const text = read(file);
        return text === undefined ? undefined : ts.createSourceFile(file, text, language);
      },
    };
    const program = ts.createProgram([...codes.keys()], { ...options, noEmit: true, incremental: false }, host);
    const problems = [...codes.keys()].flatMap((file) => {
      const source = program.getSourceFile(file);
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
    });
    assert.deepEqual(problems, []);
  });
});
