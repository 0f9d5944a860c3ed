package io.muster.sandbox;

import io.muster.sandbox.SandboxOptions.Audited;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Sandboxes for the classes of one test run: who asks gets one that nobody uses, or a new one. Safe
 * for concurrent use; closed when nobody uses any.
 */
final class SandboxPool implements AutoCloseable {

  private enum Kind {
    BARE,
    MUSTER
  }

  private final Map<Kind, Deque<Sandbox>> free = new EnumMap<>(Kind.class);
  private final List<Sandbox> all = new ArrayList<>();
  private int started;

  /** A sandbox in use; closing it leaves the sandbox to the next. */
  record Lease(Sandbox sandbox, Runnable end) implements AutoCloseable {
    @Override
    public void close() {
      end.run();
    }
  }

  private SandboxPool() {}

  static SandboxPool open() {
    FirstStart.learn(Layout.current());
    return new SandboxPool();
  }

  Lease take(boolean bare) {
    var kind = bare ? Kind.BARE : Kind.MUSTER;
    String name;
    synchronized (this) {
      var rested = free.computeIfAbsent(kind, _ -> new ArrayDeque<>()).poll();
      if (rested != null) {
        return lease(kind, rested);
      }
      started++;
      name = (bare ? "bare-" : "muster-") + started;
    }
    var sandbox = start(name, bare);
    synchronized (this) {
      all.add(sandbox);
    }
    return lease(kind, sandbox);
  }

  private Lease lease(Kind kind, Sandbox sandbox) {
    if (kind == Kind.BARE) {
      return new Lease(sandbox, () -> giveBack(kind, sandbox));
    }
    long mark = sandbox.auditLog().mark();
    return new Lease(
        sandbox,
        () -> {
          giveBack(kind, sandbox);
          requireGranted(sandbox, mark);
        });
  }

  /** An API server that has just started may refuse what the files grant; that is none of ours. */
  private static void requireGranted(Sandbox sandbox, long mark) {
    var granted = GrantedRight.ofMuster();
    var lacking =
        sandbox.auditLog().requests(mark).stream()
            .filter(request -> request.isForbidden())
            .filter(request -> granted.stream().noneMatch(right -> right.covers(request)))
            .distinct()
            .toList();
    if (!lacking.isEmpty()) {
      throw new SandboxException("no file of deploy/rbac lets Muster do this: " + lacking);
    }
  }

  private synchronized void giveBack(Kind kind, Sandbox sandbox) {
    free.get(kind).push(sandbox);
  }

  private static Sandbox start(String name, boolean bare) {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox").resolve(name));
    var options =
        bare
            ? SandboxOptions.bare(state)
            : SandboxOptions.withMuster(state).auditing(Audited.READS_TOO);
    return Sandbox.start(layout, options.scripting());
  }

  @Override
  public synchronized void close() {
    all.forEach(Sandbox::close);
  }
}
