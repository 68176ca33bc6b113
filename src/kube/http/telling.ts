import type { Wrapper } from './call.ts';

/** Tells of every answer that has come: a sign that things move. */
export function telling(onAnswer: () => void): Wrapper {
  return (call) => async (request) => {
    const answer = await call(request);
    onAnswer();
    return answer;
  };
}
