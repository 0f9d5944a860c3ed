package io.muster.extender.kube.convert;

import io.fabric8.kubernetes.api.model.PodResourceClaim;
import java.util.Map;
import java.util.Optional;

/** What is known of the claims that pods name. Safe for concurrent use. */
@FunctionalInterface
public interface MemberClaims {

  /** Nothing is known, and nothing refused, as at admission. */
  MemberClaims UNKNOWN = _ -> new Claimed.Counted(Map.of());

  /** What a member claims by one entry of {@code spec.resourceClaims}. */
  Claimed of(Entry entry);

  /**
   * What was allocated by such an entry, whatever was asked for: devices that count for this pod,
   * by the resource under which they are counted; empty where the claim has none. Those of a claim
   * that several pods use count for one of them.
   */
  default Optional<Map<String, Long>> allocated(Entry unusedEntry) {
    return Optional.empty();
  }

  /**
   * Such an entry.
   *
   * @param uid of the pod
   * @param made the claim that was made for the pod of the template that it names, as its status
   *     says: what it asks for cannot be changed any more
   * @param isOfDomain whether it names the template of its gang's NVLink domain, which is made when
   *     the gang starts
   */
  record Entry(
      String namespace,
      String uid,
      PodResourceClaim claim,
      Optional<String> made,
      boolean isOfDomain) {

    /** The claim that it means, as far as there is one: several entries may mean the same. */
    Optional<String> claimName() {
      return made.or(() -> Optional.ofNullable(claim.getResourceClaimName()));
    }
  }

  /** What such an entry comes to. */
  sealed interface Claimed {

    /**
     * Devices that the pod takes of its node.
     *
     * @param units by the resource under which they are counted; none where it is kube-scheduler's
     *     matter alone
     */
    record Counted(Map<String, Long> units) implements Claimed {
      public Counted {
        units = Map.copyOf(units);
      }
    }

    /**
     * A member with it cannot be placed as things are.
     *
     * @param problem follows the name of the field: what is wrong, and what would do
     */
    record Refused(String problem) implements Claimed {}
  }
}
