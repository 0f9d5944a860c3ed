package io.muster.deploy.board.http;

import java.util.HashMap;
import java.util.Map;

/**
 * How many streams are open, in all and by account, so that nobody takes those of others. Safe for
 * concurrent use.
 */
final class StreamSlots {

  private final int most;
  private final int mostOfAccount;
  private final Map<String, Integer> open = new HashMap<>();
  private int total;

  StreamSlots(int most, int mostOfAccount) {
    this.most = most;
    this.mostOfAccount = mostOfAccount;
  }

  /** Whether the account has one more from now on. */
  synchronized boolean tryAcquire(String account) {
    int held = open.getOrDefault(account, 0);
    if (total >= most || held >= mostOfAccount) {
      return false;
    }
    total++;
    open.put(account, held + 1);
    return true;
  }

  /** The account gives one back. */
  synchronized void release(String account) {
    total--;
    open.computeIfPresent(account, (_, held) -> held == 1 ? null : held - 1);
  }
}
