import { expect, test } from 'vitest';
import { listWays } from './ways-to-ask.ts';

const linesAt = (address: string) => {
  const { connected, withToken, asAgent } = listWays(new URL(address));
  return [...connected, ...withToken, ...asAgent].map(({ line }) => line);
};

test('[ASK7] the lines name the server only if the commands would not find it', () => {
  expect(linesAt('http://127.0.0.1:7420/')).toEqual([
    'parley connect claude',
    'parley connect codex',
    'parley connect codex --live',
    'parley acp -- opencode acp',
    'http://127.0.0.1:7420/mcp',
    'parley ask "Tea or coffee?" --option tea --option coffee',
    expect.stringMatching(/^curl "http:\/\/127\.0\.0\.1:7420\/api\/calls\?wait=60" /),
    'parley acp-serve',
  ]);
  expect(linesAt('http://localhost:8000/s/1')).toEqual([
    'parley connect claude --url http://localhost:8000',
    'parley connect codex --url http://localhost:8000',
    'parley connect codex --live --url http://localhost:8000',
    'parley acp --port 8000 -- opencode acp',
    'http://localhost:8000/mcp',
    'parley ask "Tea or coffee?" --option tea --option coffee --port 8000',
    expect.stringContaining('http://localhost:8000/api/calls'),
    'parley acp-serve --port 8000',
  ]);
});

test('[ASK7] on another machine the lines include a token, and no command looks for the server’s data', () => {
  expect(linesAt('https://parley.example.org/')).toEqual([
    'parley connect claude --url https://parley.example.org --token "$PARLEY_ASK_TOKEN"',
    'parley connect codex --url https://parley.example.org --token "$PARLEY_ASK_TOKEN"',
    'parley connect codex --live --url https://parley.example.org --token "$PARLEY_ASK_TOKEN"',
    'https://parley.example.org/mcp',
    expect.stringContaining('https://parley.example.org/api/calls'),
  ]);
});
