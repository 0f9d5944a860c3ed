package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.APIResource;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1beta2.DeviceTaintRule;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.device.CountedPods;
import io.muster.extender.core.device.NodeDevices;
import io.muster.extender.core.device.NodeDevices.KnownClass;
import io.muster.extender.core.device.Offer;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.Denials;
import io.muster.extender.kube.device.CelSelectors;
import io.muster.extender.kube.device.DeviceReading;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds to nodes the devices that Dynamic Resource Allocation offers there. Nothing is watched until
 * the apiserver is known to serve {@code resource.k8s.io/v1}; of what is watched, only what is
 * counted is kept. Where Muster may not read slices, classes or claims, it knows of no devices.
 * Safe for concurrent use: nodes are told in the order in which they and their devices change.
 */
final class DeviceFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DeviceFeed.class);
  private static final String GROUP = "resource.k8s.io";
  private static final String VERSION = "v1";

  /** Those that can be read, the best first; v1 has rules from Kubernetes 1.37 on. */
  private static final List<String> RULES_VERSIONS = List.of("v1", "v1beta2");

  private static final String RULES = "devicetaintrules";
  private static final String SLICES = "resourceslices";
  private static final String CLAIMS = "resourceclaims";
  private static final String CLASSES = "deviceclasses";

  /** Where nodes are read, and who is told. */
  record Around(
      Function<String, Optional<Node>> nodes,
      CountedPods pods,
      Consumer<Event> told,
      Consumer<Map<String, KnownClass>> classes,
      ClaimFeed claims,
      Runnable listed) {}

  private final KubernetesClient client;
  private final Around around;
  private final SideWatches watches;
  private final NodeDevices devices;

  /** The watch of rules, and of which version they are; once there are any. */
  private Optional<RuleWatch> rules = Optional.empty();

  /**
   * A watch of rules.
   *
   * @param before names of rules that an earlier watch has told, and this one has not yet
   */
  private record RuleWatch(String version, SideWatches watches, Set<String> before) {}

  /** Names of the rules that are known. */
  private final Set<String> ruleNames = new HashSet<>();

  /** What was told last of nodes that offer devices, or might. */
  private final Map<String, Offer> offers = new HashMap<>();

  /** Kinds whose first list is still to come. */
  private final Set<String> unlisted = new HashSet<>();

  private Map<String, KnownClass> classes = Map.of();
  private boolean isWatching;
  private boolean isCounting;

  /** What is told of classes is told in its order. */
  private final Object telling = new Object();

  DeviceFeed(KubernetesClient client, Around around) {
    this.client = client;
    this.watches = new SideWatches(client);
    this.around = around;
    this.devices = new NodeDevices(new CelSelectors(), around.pods());
  }

  /** Takes in which versions of which API groups there are; watches once there is something. */
  void served(Map<String, Set<String>> versions) {
    var ofGroup = versions.getOrDefault(GROUP, Set.of());
    if (!ofGroup.contains(VERSION)) {
      around.listed().run();
      return;
    }
    var ofRules = rulesToWatch(ofGroup);
    boolean isFirst;
    synchronized (this) {
      isFirst = !isWatching;
      isWatching = true;
      if (isFirst) {
        unlisted.addAll(Set.of(SLICES, CLAIMS, CLASSES));
        ofRules.ifPresent(_ -> unlisted.add(RULES));
      }
    }
    ofRules.ifPresent(this::watchRules);
    if (isFirst) {
      around.claims().served();
      watchDevices();
    }
  }

  private void watchDevices() {
    LOG.atInfo().log("devices of DRA are watched");
    var form = client.getKubernetesSerialization();
    watches.openByName(
        form,
        client.resources(io.fabric8.kubernetes.api.model.resource.v1.DeviceClass.class),
        new SideWatches.Changes<>(
            found -> classChanged(() -> devices.classSeen(DeviceReading.deviceClass(found))),
            found -> classChanged(() -> devices.classGone(found.getMetadata().getName()))),
        reading(CLASSES));
    watches.openByName(
        form,
        client.resources(ResourceClaim.class).inAnyNamespace(),
        new SideWatches.Changes<>(this::claimSeen, this::claimGone),
        new SideWatches.Reading(this::claimsListed, this::claimsDenied));
  }

  private SideWatches.Reading reading(String kind) {
    return new SideWatches.Reading(() -> listed(kind), () -> listed(kind));
  }

  private void claimSeen(ResourceClaim claim) {
    changed(() -> devices.claimSeen(DeviceReading.claim(claim)));
    around.claims().claimSeen(claim);
  }

  private void claimGone(ResourceClaim claim) {
    changed(() -> devices.claimGone(DeviceReading.key(claim)));
    around.claims().claimGone(claim);
  }

  /** Before it is known which devices are taken, none counts. */
  private void claimsListed() {
    around.claims().claimsListed();
    listed(CLAIMS);
    synchronized (this) {
      if (isCounting) {
        return;
      }
      isCounting = true;
    }
    watches.openByName(
        client.getKubernetesSerialization(),
        client.resources(ResourceSlice.class),
        new SideWatches.Changes<>(
            slice -> classChanged(() -> devices.sliceSeen(DeviceReading.slice(slice))),
            slice -> classChanged(() -> devices.sliceGone(slice.getMetadata().getName()))),
        reading(SLICES));
  }

  /** There is nothing to wait for. */
  private void claimsDenied() {
    listed(CLAIMS);
    boolean isCounted;
    synchronized (this) {
      isCounted = isCounting;
    }
    if (!isCounted) {
      listed(SLICES);
    }
  }

  /** In which version rules are to be watched from now on; empty where that goes on as it is. */
  private Optional<String> rulesToWatch(Set<String> versions) {
    synchronized (this) {
      if (rules.filter(watch -> versions.contains(watch.version())).isPresent()) {
        return Optional.empty();
      }
    }
    return RULES_VERSIONS.stream().filter(versions::contains).filter(this::servesRules).findFirst();
  }

  private boolean servesRules(String version) {
    var list = client.getApiResources(GROUP + "/" + version);
    return list != null
        && list.getResources().stream().map(APIResource::getName).anyMatch(RULES::equals);
  }

  private void watchRules(String version) {
    LOG.atInfo().addKeyValue("version", version).log("taints of devices are watched");
    RuleWatch watch;
    synchronized (this) {
      rules.ifPresent(former -> former.watches().close());
      watch = new RuleWatch(version, new SideWatches(client), new HashSet<>(ruleNames));
      rules = Optional.of(watch);
    }
    var form = client.getKubernetesSerialization();
    watch
        .watches()
        .openByName(
            form,
            client.genericKubernetesResources(
                new ResourceDefinitionContext.Builder()
                    .withGroup(GROUP)
                    .withVersion(version)
                    .withKind("DeviceTaintRule")
                    .withPlural(RULES)
                    .withNamespaced(false)
                    .build()),
            new SideWatches.Changes<>(
                rule -> ruleSeen(watch, form.convertValue(rule, DeviceTaintRule.class)),
                rule -> ruleGone(rule.getMetadata().getName())),
            new SideWatches.Reading(
                () -> rulesListed(watch),
                () -> listed(RULES),
                Optional.of(new Denials.Kind(GROUP, RULES))));
  }

  private void rulesListed(RuleWatch watch) {
    synchronized (this) {
      Set.copyOf(watch.before()).forEach(this::ruleGone);
      watch.before().clear();
    }
    listed(RULES);
  }

  private void listed(String kind) {
    boolean isLast;
    synchronized (this) {
      isLast = unlisted.remove(kind) && unlisted.isEmpty();
    }
    if (isLast) {
      around.listed().run();
    }
  }

  /** The node was added or has changed; tells it with its devices. */
  synchronized void nodeSeen(Node node) {
    var offer = devices.offer(node.name());
    if (offer.equals(Offer.NONE)) {
      offers.remove(node.name());
    } else {
      offers.put(node.name(), offer);
    }
    around.told().accept(new Event.NodeSeen(node.offering(offer)));
  }

  /** The node was deleted. */
  synchronized void nodeGone(String name) {
    offers.remove(name);
    around.told().accept(new Event.NodeGone(name));
  }

  /** What is counted for the pod may be something else than before. */
  synchronized void podChanged(String uid) {
    changed(() -> devices.podChanged(uid));
  }

  private synchronized void ruleSeen(RuleWatch watch, DeviceTaintRule rule) {
    var name = rule.getMetadata().getName();
    watch.before().remove(name);
    ruleNames.add(name);
    changed(() ->
        DeviceReading.rule(rule).map(devices::ruleSeen).orElseGet(() -> devices.ruleGone(name)));
  }

  private synchronized void ruleGone(String name) {
    ruleNames.remove(name);
    changed(() -> devices.ruleGone(name));
  }

  /** What is known of classes may be something else after the change. */
  private void classChanged(Supplier<Set<String>> change) {
    changed(change);
    synchronized (telling) {
      Map<String, KnownClass> now;
      synchronized (this) {
        now = devices.known();
        if (now.equals(classes)) {
          return;
        }
        classes = now;
      }
      around.classes().accept(now);
    }
  }

  /** Tells the nodes that offer something else after the change, which says whom it concerns. */
  private synchronized void changed(Supplier<Set<String>> change) {
    for (var name : change.get()) {
      if (!devices.offer(name).equals(offers.getOrDefault(name, Offer.NONE))) {
        around.nodes().apply(name).ifPresent(this::nodeSeen);
      }
    }
  }

  @Override
  public void close() {
    watches.close();
    synchronized (this) {
      rules.ifPresent(watch -> watch.watches().close());
    }
  }
}
