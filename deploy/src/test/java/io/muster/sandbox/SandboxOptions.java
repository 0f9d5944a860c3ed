package io.muster.sandbox;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a sandbox consists of. Immutable.
 *
 * @param withMuster whether Muster is started and kube-scheduler asks it; else a plain
 *     kube-scheduler
 * @param extraFlags flags added to those of a program
 * @param extraTokens lines of the API server's token file: {@code token,user,uid,"group,group"}
 * @param audited what the API server writes down of what Muster asks for, see {@link AuditLog}
 * @param scripted whether pods play the scripts in their annotations and can be reached by exec:
 *     see {@code deploy/sandbox/kit}
 * @param slowStarts whether pods take a moment to start, as they do on a machine; else none
 * @param egressProxy socket of the proxy through which the API server calls into the cluster. With
 *     it there may be nodes that KWOK does not play, whose pods have service accounts and reach
 *     Services; see the package {@code io.muster.played}
 */
public record SandboxOptions(
    StateDirectory state,
    boolean withMuster,
    Map<Program, List<String>> extraFlags,
    List<String> extraTokens,
    Audited audited,
    boolean scripted,
    boolean slowStarts,
    Optional<Path> egressProxy) {

  /** What is written down; reads cost the API server most of it. */
  public enum Audited {
    NOTHING,
    WRITES,
    READS_TOO
  }

  public SandboxOptions {
    extraFlags = Map.copyOf(extraFlags);
    extraTokens = List.copyOf(extraTokens);
  }

  public static SandboxOptions bare(StateDirectory state) {
    return new SandboxOptions(
        state, false, Map.of(), List.of(), Audited.NOTHING, false, false, Optional.empty());
  }

  public static SandboxOptions withMuster(StateDirectory state) {
    return new SandboxOptions(
        state, true, Map.of(), List.of(), Audited.NOTHING, false, false, Optional.empty());
  }

  public SandboxOptions extraFlags(Program program, String... flags) {
    var all = new HashMap<>(extraFlags);
    all.put(program, List.of(flags));
    return new SandboxOptions(
        state, withMuster, all, extraTokens, audited, scripted, slowStarts, egressProxy);
  }

  /** Lets one more caller in; it has no rights until RBAC or its groups give it some. */
  public SandboxOptions extraToken(String token, String user, String... groups) {
    var all = new ArrayList<>(extraTokens);
    all.add(token + "," + user + "," + user + ",\"" + String.join(",", groups) + "\"");
    return new SandboxOptions(
        state, withMuster, extraFlags, all, audited, scripted, slowStarts, egressProxy);
  }

  /** The API server writes down that of what Muster asks for. */
  public SandboxOptions auditing(Audited what) {
    return new SandboxOptions(
        state, withMuster, extraFlags, extraTokens, what, scripted, slowStarts, egressProxy);
  }

  /** Pods play the scripts in their annotations, and can be reached by exec. */
  public SandboxOptions scripting() {
    return new SandboxOptions(
        state, withMuster, extraFlags, extraTokens, audited, true, slowStarts, egressProxy);
  }

  /** Pods take 1.5 to 4 s to start. */
  public SandboxOptions startingSlowly() {
    return new SandboxOptions(
        state, withMuster, extraFlags, extraTokens, audited, scripted, true, egressProxy);
  }

  /** Other nodes than those of KWOK are possible, and pods there get what a kubelet gives them. */
  public SandboxOptions playingPods(Path proxy) {
    return new SandboxOptions(
        state,
        withMuster,
        extraFlags,
        extraTokens,
        audited,
        scripted,
        slowStarts,
        Optional.of(proxy));
  }

  List<String> flags(Program program) {
    return extraFlags.getOrDefault(program, List.of());
  }
}
