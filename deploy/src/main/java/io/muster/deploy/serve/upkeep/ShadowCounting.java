package io.muster.deploy.serve.upkeep;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.core.shadow.ShadowCounts;
import io.muster.extender.core.shadow.ShadowLedger;
import io.muster.extender.kube.shadow.LedgerObject;
import io.muster.webhook.port.ShadowMeter;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process has counted in namespaces in shadow and not stored yet. A process that is
 * killed loses that; after a write without an answer some of it may be counted twice. Safe for
 * concurrent use.
 */
public final class ShadowCounting implements ShadowMeter {

  private static final Logger LOG = LoggerFactory.getLogger(ShadowCounting.class);

  private final LedgerObject stored;
  private final InstallationOwner owner;
  private final Supplier<Map<String, ShadowCounts>> gangs;
  private final InstantSource dates;
  private ShadowLedger pending = ShadowLedger.EMPTY;

  /**
   * @param owner of all that is made
   * @param gangs what the decisions have counted since they were last asked, by namespace
   * @param dates the time of day
   */
  public ShadowCounting(
      LedgerObject stored,
      InstallationOwner owner,
      Supplier<Map<String, ShadowCounts>> gangs,
      InstantSource dates) {
    this.stored = stored;
    this.owner = owner;
    this.gangs = gangs;
    this.dates = dates;
  }

  @Override
  public void wouldRefuse(String namespace) {
    add(Map.of(namespace, ShadowCounts.REFUSED));
  }

  private synchronized void add(Map<String, ShadowCounts> counts) {
    pending = pending.plus(LocalDate.ofInstant(dates.instant(), ZoneOffset.UTC), counts);
  }

  private synchronized ShadowLedger take() {
    var taken = pending;
    pending = ShadowLedger.EMPTY;
    return taken;
  }

  private synchronized void putBack(ShadowLedger taken) {
    pending = taken.plus(pending);
  }

  /** Takes over what the decisions have counted, which they forget when they end. */
  public void collect() {
    var counted = gangs.get();
    if (!counted.isEmpty()) {
      add(counted);
    }
  }

  /** To be called now and then, by one thread at a time. Blocks for requests; fails in no way. */
  public void store() {
    collect();
    switch (owner.standing()) {
      case InstallationOwner.Standing.Absent _ -> store(Optional.empty());
      case InstallationOwner.Standing.Present(var reference) -> store(Optional.of(reference));
      case InstallationOwner.Standing.Missed _, InstallationOwner.Standing.Gone _ -> {}
    }
  }

  private void store(Optional<OwnerReference> reference) {
    var taken = take();
    if (taken.equals(ShadowLedger.EMPTY)) {
      return;
    }
    try {
      stored.add(taken, reference);
    } catch (KubernetesClientException e) {
      putBack(taken);
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("what was counted in namespaces in shadow could not be stored; tried again");
    }
  }
}
