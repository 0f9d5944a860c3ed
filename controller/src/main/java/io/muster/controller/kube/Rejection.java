package io.muster.controller.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Optional;

/** Why the apiserver did not do what it was asked for, as far as that decides what to do next. */
public enum Rejection {
  /** Somebody else wrote first, or it is there already. */
  CONFLICT,
  /** It is not there any more. */
  ABSENT,
  /** The namespace is being deleted: nothing can be made there ever again. */
  NAMESPACE_ENDS,
  /** By a rule: rights, quota, another webhook, the kind's own rules. */
  REFUSED,
  /** The apiserver is away or overrun. */
  UNAVAILABLE;

  private static final int NOT_FOUND = 404;
  private static final int CONFLICTING = 409;
  private static final int TOO_MANY = 429;
  private static final int FIRST_REFUSAL = 400;
  private static final int FIRST_FAULT = 500;
  private static final String ENDING = "NamespaceTerminating";
  private static final String CHANGED = "Conflict";

  public static Rejection of(KubernetesClientException e) {
    if (isOfEndingNamespace(e)) {
      return NAMESPACE_ENDS;
    }
    return switch (e.getCode()) {
      case NOT_FOUND -> ABSENT;
      case CONFLICTING -> CONFLICT;
      case TOO_MANY -> UNAVAILABLE;
      default -> e.getCode() >= FIRST_REFUSAL && e.getCode() < FIRST_FAULT ? REFUSED : UNAVAILABLE;
    };
  }

  private static boolean isOfEndingNamespace(KubernetesClientException e) {
    return Optional.ofNullable(e.getStatus())
        .map(status -> status.getDetails())
        .map(details -> details.getCauses())
        .orElse(List.of())
        .stream()
        .anyMatch(cause -> ENDING.equals(cause.getReason()));
  }

  /**
   * Whether what was to be made is there already. A conflict that the API server gives that name is
   * over something else: a quota that was counted at the same time.
   */
  public static boolean isThereAlready(KubernetesClientException e) {
    return of(e) == CONFLICT
        && Optional.ofNullable(e.getStatus())
            .filter(status -> CHANGED.equals(status.getReason()))
            .isEmpty();
  }

  /** What went wrong: in the apiserver's own words where it was that, otherwise as a fault. */
  public static String sentence(RuntimeException e) {
    return e instanceof KubernetesClientException refused ? sentence(refused) : e.toString();
  }

  /** What the apiserver says, in its own words. */
  public static String sentence(KubernetesClientException e) {
    return Optional.ofNullable(e.getStatus())
        .map(status -> status.getMessage())
        .orElseGet(e::getMessage);
  }
}
