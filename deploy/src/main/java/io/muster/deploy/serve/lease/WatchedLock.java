package io.muster.deploy.serve.lease;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock of the election, with an eye on who holds it and since when. An election goes on after
 * failures of the API alone: whatever else is thrown, by a Lease that somebody has edited for one,
 * is made one of these.
 */
final class WatchedLock implements Lock {

  private static final Logger LOG = LoggerFactory.getLogger(WatchedLock.class);

  final HeldLease held;
  final ObservedLease observed;
  private final Lock lock;
  private final String namespace;
  private final Duration lease;
  private final BooleanSupplier mayMakeAnew;
  volatile boolean followsAnother;
  private volatile boolean isTold;

  /** The election takes the time that it writes before it reads. */
  private volatile HeldLease.Moment asked;

  WatchedLock(
      Lock lock,
      Leadership.Terms terms,
      HeldLease held,
      ObservedLease observed,
      BooleanSupplier mayMakeAnew) {
    this.lock = lock;
    this.namespace = terms.namespace();
    this.lease = terms.lease();
    this.held = held;
    this.observed = observed;
    this.mayMakeAnew = mayMakeAnew;
    this.asked = held.now();
  }

  private static <T> T asFailureOfTheApi(Supplier<T> work) {
    try {
      return work.get();
    } catch (KubernetesClientException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new KubernetesClientException("the Lease cannot be used as it is: " + e, e);
    }
  }

  /** The age of the lease in it is what was seen of it here: its own times are of other clocks. */
  @Override
  public LeaderElectionRecord get(KubernetesClient client) {
    asked = held.now();
    var found = asFailureOfTheApi(() -> lock.get(client));
    if (found == null) {
      return found;
    }
    var holder = Optional.ofNullable(found.getHolderIdentity()).orElse("");
    var seen = asFailureOfTheApi(() -> observed.asSeen(found));
    if (!holder.isEmpty() && !holder.equals(identity())) {
      followsAnother = true;
      tellIfUnrenewed(holder, seen.getLeaseDuration());
    }
    return seen;
  }

  /**
   * Whoever holds it may do so for as long as the Lease says, although nobody leads meanwhile if
   * that process is no more: as client-go has it, for only its own times bind its holder.
   */
  private void tellIfUnrenewed(String holder, Duration lasts) {
    var age = observed.age();
    boolean isUnrenewed = age.compareTo(lease) >= 0 && age.compareTo(lasts) < 0;
    if (isUnrenewed && !isTold) {
      LOG.atWarn()
          .addKeyValue("holder", holder)
          .addKeyValue("unrenewedSeconds", age.toSeconds())
          .addKeyValue("lastsSeconds", lasts.toSeconds())
          .log(
              "nobody renews the Lease, and nobody else may lead until it is over; if its holder"
                  + " runs no more, delete the Lease");
    }
    isTold = isUnrenewed;
  }

  @Override
  public void create(KubernetesClient client, LeaderElectionRecord wanted) {
    if (!mayMakeAnew.getAsBoolean()) {
      throw new KubernetesClientException("the installation that the Lease belonged to is gone");
    }
    lock.create(client, wanted);
    written(wanted);
  }

  @Override
  public void update(KubernetesClient client, LeaderElectionRecord wanted) {
    if (wanted.getLeaseDuration().compareTo(lease) < 0) {
      giveBack(client);
      return;
    }
    lock.update(client, wanted);
    written(wanted);
  }

  /** Without a holder; the library would leave a lease of a second behind, and its holder. */
  void giveBack(KubernetesClient client) {
    held.lost();
    var stored = client.leases().inNamespace(namespace).withName(Leadership.NAME);
    var found = stored.get();
    if (Optional.ofNullable(found)
        .map(Lease::getSpec)
        .filter(spec -> identity().equals(spec.getHolderIdentity()))
        .isPresent()) {
      stored.patch(
          PatchContext.of(PatchType.JSON_MERGE),
          "{\"metadata\":{\"resourceVersion\":\"%s\"},\"spec\":{\"holderIdentity\":null}}"
              .formatted(found.getMetadata().getResourceVersion()));
    }
  }

  private void written(LeaderElectionRecord wanted) {
    if (identity().equals(wanted.getHolderIdentity())) {
      held.renewed(asked);
      observed.written(wanted);
    } else {
      held.lost();
    }
  }

  @Override
  public String identity() {
    return lock.identity();
  }

  @Override
  public String describe() {
    return lock.describe();
  }
}
