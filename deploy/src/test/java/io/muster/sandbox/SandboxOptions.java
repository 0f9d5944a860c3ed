package io.muster.sandbox;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a sandbox consists of. Immutable.
 *
 * @param withMuster whether Muster is started and kube-scheduler asks it; else a plain
 *     kube-scheduler
 * @param extraFlags flags added to those of a program
 * @param extraTokens lines of the API server's token file: {@code token,user,uid,"group,group"}
 * @param audited whether the API server writes down what Muster writes, see {@link AuditLog}
 */
public record SandboxOptions(
    StateDirectory state,
    boolean withMuster,
    Map<Program, List<String>> extraFlags,
    List<String> extraTokens,
    boolean audited) {

  public SandboxOptions {
    extraFlags = Map.copyOf(extraFlags);
    extraTokens = List.copyOf(extraTokens);
  }

  public static SandboxOptions bare(StateDirectory state) {
    return new SandboxOptions(state, false, Map.of(), List.of(), false);
  }

  public static SandboxOptions withMuster(StateDirectory state) {
    return new SandboxOptions(state, true, Map.of(), List.of(), false);
  }

  public SandboxOptions extraFlags(Program program, String... flags) {
    var all = new HashMap<>(extraFlags);
    all.put(program, List.of(flags));
    return new SandboxOptions(state, withMuster, all, extraTokens, audited);
  }

  /** Lets one more caller in; it has no rights until RBAC or its groups give it some. */
  public SandboxOptions extraToken(String token, String user, String... groups) {
    var all = new ArrayList<>(extraTokens);
    all.add(token + "," + user + "," + user + ",\"" + String.join(",", groups) + "\"");
    return new SandboxOptions(state, withMuster, extraFlags, all, audited);
  }

  /** The API server writes down what Muster writes. */
  public SandboxOptions auditing() {
    return new SandboxOptions(state, withMuster, extraFlags, extraTokens, true);
  }

  List<String> flags(Program program) {
    return extraFlags.getOrDefault(program, List.of());
  }
}
