package io.muster.webhook.core;

import java.util.Arrays;
import java.util.List;

/**
 * The ways in which the apiserver asks about new pods, one for each entry of the registration. Name
 * and path of an entry stand in the apiserver's message when nobody answers; that is all that the
 * user who is refused then gets to read, so the path says what to do.
 */
public enum Entry {

  /** Pods of gangs; without an answer they are refused. */
  GANG_PODS("gang-pods.muster.io", PodAdmission.PATH + Entry.UNANSWERED),

  /** GPU pods without gang; without an answer they pass as they are. */
  GPU_PODS("gpu-pods.muster.io", PodAdmission.PATH),

  /** GPU pods without gang where the namespace wants none without defaults. */
  ALL_GPU_PODS("all-gpu-pods.muster.io", PodAdmission.PATH + Entry.UNANSWERED),

  /** Pods that name no gang, where the namespace has gangs inferred from owners. */
  OWNED_PODS("owned-pods.muster.io", PodAdmission.PATH + "/of-owners" + Entry.UNANSWERED),

  /** Pods of the cluster's own gang scheduling, where their gangs wait in a queue of Muster's. */
  QUEUED_PODS("queued-pods.muster.io", PodAdmission.PATH + Entry.UNANSWERED),

  /** Both kinds, of namespaces that only observe: they are told what would be done. */
  SHADOW_PODS("shadow-pods.muster.io", "/shadow/pods");

  private static final String UNANSWERED =
      "/refused-until-muster-is-back/or-run-muster-release-all";

  private final String webhook;
  private final String path;

  Entry(String webhook, String path) {
    this.webhook = webhook;
    this.path = path;
  }

  /** Name of the entry in the registration. */
  public String webhook() {
    return webhook;
  }

  /** Where it is asked. */
  public String path() {
    return path;
  }

  /** Whether pods that come by this path pass without an answer, or else are refused. */
  public static boolean passesUnanswered(String path) {
    return path.equals(GPU_PODS.path);
  }

  /** Whether pods that come by this path are in a namespace that has gangs inferred. */
  public static boolean infersGangs(String path) {
    return path.equals(OWNED_PODS.path);
  }

  /** Every path at which a pod may be changed. */
  public static List<String> changingPaths() {
    return Arrays.stream(values())
        .filter(entry -> entry != SHADOW_PODS)
        .map(Entry::path)
        .distinct()
        .toList();
  }
}
