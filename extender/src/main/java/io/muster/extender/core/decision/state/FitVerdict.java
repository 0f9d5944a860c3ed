package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.plan.diagnosis.Diagnosis.Finding;
import java.util.Comparator;
import java.util.Optional;

/**
 * Why one gang has no places, as it was last found: in words, by the member or pod for which there
 * was none, and by its one cause once that has been examined. Confined to the decision thread.
 */
public final class FitVerdict {

  /**
   * Nodes that kube-scheduler keeps from a gang for pods that it has nominated them to. Immutable.
   *
   * @param pod one of those pods
   */
  public record KeptNodes(int nodes, PodKey pod) {

    /** The first by this is named, so that the words stay the same. */
    public static final Comparator<PodKey> BY_NAME =
        Comparator.comparing(PodKey::namespace)
            .thenComparing(PodKey::name)
            .thenComparing(PodKey::uid);

    /** As users of a namespace are told of it: they may not know what is in another one. */
    public String shownIn(String namespace) {
      var whom = pod.namespace().equals(namespace) ? "pod " + pod : "a pod of another namespace";
      return "%s kept for %s%s, nominated there by kube-scheduler"
          .formatted(Counted.of(nodes, "node", "is", "are"), whom, nodes == 1 ? "" : " and others");
    }
  }

  private Optional<String> text = Optional.empty();
  private Optional<Misfit> misfit = Optional.empty();
  private Optional<KeptNodes> kept = Optional.empty();
  private Optional<Finding> finding = Optional.empty();

  /** It has places, or has not been tried. */
  public void clear() {
    text = Optional.empty();
    misfit = Optional.empty();
    kept = Optional.empty();
  }

  /**
   * There is no place for that one.
   *
   * @param nodes that are kept from the gang for single pods
   */
  public void noPlace(String tally, Misfit forWhom, Optional<KeptNodes> nodes) {
    text = Optional.of(tally);
    misfit = Optional.of(forWhom);
    kept = nodes;
  }

  /** An attempt has failed; nobody stands out. */
  public void failed(String why) {
    text = Optional.of(why);
    misfit = Optional.empty();
    kept = Optional.empty();
  }

  /** A place of its burst is missing; who was found to have none before stays. */
  public void missing(String tally) {
    text = Optional.of(tally);
  }

  /** All its places were found again. */
  public void complete() {
    text = Optional.empty();
  }

  public void found(Finding cause) {
    finding = Optional.of(cause);
  }

  /** In words. */
  public Optional<String> text() {
    return text;
  }

  /** For whom there was no place. */
  public Optional<Misfit> misfit() {
    return misfit;
  }

  /** Nodes that were kept from it for single pods. */
  public Optional<KeptNodes> kept() {
    return kept;
  }

  /** The one cause, of the failure that was last examined. */
  public Optional<Finding> finding() {
    return finding;
  }

  /** Another incarnation begins. */
  void forget() {
    clear();
    finding = Optional.empty();
  }
}
