package io.muster.controller.kinds.di.server.call;

import java.net.InetAddress;
import java.util.Optional;
import java.util.function.Function;

/**
 * Recognises callers: by the address of their pod, since DI-engine's clients show nothing else, or
 * by the token of a ServiceAccount. Safe for concurrent use.
 */
public final class Access {

  /** What helps who is refused. */
  public static final String REMEDY =
      "call from a pod of the job or of namespace di-system, or show a token of a ServiceAccount of"
          + " the job's namespace (kubectl create token NAME --audience di-server) as Authorization:"
          + " Bearer TOKEN";

  private final boolean isOpen;
  private final DiView view;
  private final Function<String, Optional<String>> namespaceOf;

  /**
   * @param isOpen whether everybody may do everything
   * @param namespaceOf tells the namespace of the ServiceAccount whose token it is; empty if it is
   *     nobody's
   */
  public Access(boolean isOpen, DiView view, Function<String, Optional<String>> namespaceOf) {
    this.isOpen = isOpen;
    this.view = view;
    this.namespaceOf = namespaceOf;
  }

  /** Who calls; refuses who is nobody. */
  public Caller of(Call call) {
    if (isOpen) {
      return new Caller.Trusted();
    }
    return byAddress(call.address())
        .or(() -> call.token().flatMap(namespaceOf).map(Access::account))
        .orElseThrow(() ->
            RefusedException.forbidden("your address is that of no pod that may call; " + REMEDY));
  }

  private static Caller account(String namespace) {
    return namespace.equals(Caller.SYSTEM) ? new Caller.Trusted() : new Caller.Account(namespace);
  }

  /** An address that several pods share, as those on a node's own network do, says nothing. */
  private Optional<Caller> byAddress(String address) {
    var pods = view.at(canonical(address));
    if (pods.size() != 1 || Boolean.TRUE.equals(pods.getFirst().getSpec().getHostNetwork())) {
      return Optional.empty();
    }
    var pod = pods.getFirst();
    return Optional.of(
        pod.getMetadata().getNamespace().equals(Caller.SYSTEM)
            ? new Caller.Trusted()
            : new Caller.OfJob(pod));
  }

  /** The one way to write an address. */
  public static String canonical(String address) {
    try {
      return InetAddress.ofLiteral(address).getHostAddress();
    } catch (IllegalArgumentException _) {
      return address;
    }
  }
}
