package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Store;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.device.DeviceClass;
import io.muster.extender.core.device.NodeDevices.KnownClass;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.ApiFields;
import io.muster.extender.kube.ObjectVersion;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.gang.GangObjects;
import io.muster.extender.kube.gang.KnownGang;
import io.muster.extender.port.EventSink;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches namespaces, nodes, pods and gangs, what members mount ({@link VolumeFeed}) and where
 * their terms stand ({@link TermsFeed}), and tells what it sees.
 *
 * <ol>
 *   <li>Until all lists have been read, nothing is told.
 *   <li>Then: queues, budgets, ResourceQuotas, namespaces, nodes, records, terms, pods, {@link
 *       Event.Ready}; changes that came meanwhile are in it, in their order.
 *   <li>From then on each change as it comes; after a broken watch the difference to a new list.
 * </ol>
 *
 * Safe for concurrent use.
 */
public final class ClusterFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterFeed.class);
  private static final long NO_RESYNC = 0;

  private final KubernetesClient client;
  private final Place place;
  private final PodConverter translation;
  private final PodMemory memory;
  private final GangDirectory directory;
  private final Opening opening;
  private final VolumeFeed volumes;
  private final BudgetFeed budgets;
  private final NamespaceQuotaFeed quotas;
  private final TermsFeed terms;
  private final DeviceFeed devices;
  private final ClaimFeed claims;
  private final PodReading pods;
  private volatile Optional<Boolean> servesDomains = Optional.empty();
  private final EnumSet<Opening.Part> awaited = EnumSet.noneOf(Opening.Part.class);
  private Optional<Store<io.fabric8.kubernetes.api.model.Node>> nodeStore = Optional.empty();
  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();

  /**
   * Where the feed reads.
   *
   * @param ownNamespace where Muster runs; its label says whether Muster is released
   * @param fallback how namespaces are enrolled that do not say
   */
  public record Place(String ownNamespace, Enrolment fallback) {}

  /** Begins to read nothing yet. */
  public ClusterFeed(
      KubernetesClient client,
      Place place,
      PodConverter translation,
      GangDirectory directory,
      EventSink sink) {
    this.client = client;
    this.place = place;
    this.translation = translation;
    this.memory = new PodMemory(translation);
    this.directory = directory;
    this.opening = new Opening(sink);
    this.volumes = new VolumeFeed(client, event -> opening.pass(Opening.Part.PODS, List.of(event)));
    this.budgets =
        new BudgetFeed(
            client,
            event -> opening.pass(Opening.Part.BUDGETS, List.of(event)),
            () -> opening.listed(Opening.Part.BUDGETS));
    this.quotas =
        new NamespaceQuotaFeed(
            client,
            event -> opening.pass(Opening.Part.RESOURCEQUOTAS, List.of(event)),
            () -> opening.listed(Opening.Part.RESOURCEQUOTAS));
    this.terms =
        new TermsFeed(
            client,
            event -> opening.pass(Opening.Part.TERMS, List.of(event)),
            () -> opening.listed(Opening.Part.TERMS),
            TermsFeed.LOOKED_APART,
            this::served);
    this.pods =
        new PodReading(
            memory, new Followers(), event -> opening.pass(Opening.Part.PODS, List.of(event)));
    this.claims = new ClaimFeed(client, pods::again);
    translation.claimsBy(claims);
    this.devices =
        new DeviceFeed(
            client,
            new DeviceFeed.Around(
                this::node,
                memory::units,
                event -> opening.pass(Opening.Part.NODES, List.of(event)),
                this::named,
                claims,
                () -> opening.listed(Opening.Part.DEVICES)));
  }

  /**
   * Has {@link Event.Ready} wait until queues have been told here: without them every quota would
   * be open. To be called before the start.
   */
  public EventSink awaitQueues() {
    return await(Opening.Part.QUEUES);
  }

  /** The same of the levels of the network: without them no node would be kept in reserve. */
  public EventSink awaitLevels() {
    return await(Opening.Part.LEVELS);
  }

  /** Has that run where an object is seen in an earlier state; nothing is told from then on. */
  public void whenGoneBack(Runnable told) {
    opening.whenGoneBack(told);
  }

  private EventSink await(Opening.Part part) {
    awaited.add(part);
    return event -> {
      opening.pass(part, List.of(event));
      opening.listed(part);
    };
  }

  /** What has not been read yet, in words; empty once everything has. */
  public List<String> unread() {
    return opening.missing().stream()
        .map(part -> part.name().toLowerCase(Locale.ROOT))
        .sorted()
        .toList();
  }

  /** Begins to list and to watch; returns at once and tries until it succeeds. */
  public void start() {
    EnumSet.complementOf(awaited).stream()
        .filter(part -> part == Opening.Part.QUEUES || part == Opening.Part.LEVELS)
        .forEach(opening::listed);
    watch(client.namespaces(), Opening.Part.NAMESPACES, namespaces());
    nodeStore = Optional.of(watch(client.nodes(), Opening.Part.NODES, nodes()).getStore());
    watch(client.resources(Gang.class).inAnyNamespace(), Opening.Part.RECORDS, gangs());
    pods.from(watch(client.pods().inAnyNamespace(), Opening.Part.PODS, pods()).getStore());
    terms.start();
    budgets.start();
    quotas.start();
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::stop);
    volumes.close();
    budgets.close();
    quotas.close();
    terms.close();
    devices.close();
    claims.close();
  }

  private void served(Map<String, Set<String>> versions) {
    boolean now =
        versions.getOrDefault(NvlinkDomain.GROUP, Set.of()).contains(NvlinkDomain.VERSION);
    if (servesDomains.filter(before -> before == now).isEmpty()) {
      servesDomains = Optional.of(now);
      opening.pass(Opening.Part.TERMS, List.of(new Event.DomainsServed(now)));
    }
    devices.served(versions);
  }

  private Optional<Node> node(String name) {
    return nodeStore.map(store -> store.getByKey(name)).map(translation::node);
  }

  /** Classes are these now: what pods ask of them is read again. */
  private void named(Map<String, KnownClass> classes) {
    var names = new HashMap<String, String>();
    classes.forEach((name, known) -> names.put(name, known.resource()));
    pods.between(() -> translation.nameDevices(names));
    claims.classes(classes);
    pods.again(memory.asking(DeviceClass.IMPLICIT));
  }

  private <T extends HasMetadata> SharedIndexInformer<T> watch(
      Informable<T> resources, Opening.Part part, Changes<T> changes) {
    var informer = resources.runnableInformer(NO_RESYNC);
    informer.exceptionHandler((_, problem) -> {
      LOG.atWarn()
          .addKeyValue("part", part)
          .addKeyValue("message", problem.getMessage())
          .log("a watch failed and is opened again");
      return true;
    });
    informer.addEventHandler(new Handler<>(opening, part, changes));
    informers.add(informer);
    informer.start();
    return informer;
  }

  private Changes<Namespace> namespaces() {
    return new Changes<>() {
      @Override
      public List<Event> seen(Namespace namespace) {
        var name = namespace.getMetadata().getName();
        var labels = ApiFields.present(namespace.getMetadata().getLabels());
        var enrolled = new Event.NamespaceSeen(name, Enrolment.of(labels, place.fallback()));
        return name.equals(place.ownNamespace())
            ? List.of(enrolled, new Event.Released(Enrolment.isReleased(labels)))
            : List.of(enrolled);
      }

      @Override
      public List<Event> changed(Namespace before, Namespace now) {
        var seen = seen(now);
        return seen(before).equals(seen) ? List.of() : seen;
      }

      @Override
      public List<Event> gone(Namespace namespace) {
        return List.of(new Event.NamespaceGone(namespace.getMetadata().getName()));
      }
    };
  }

  private Changes<io.fabric8.kubernetes.api.model.Node> nodes() {
    return new Changes<>() {
      @Override
      public List<Event> seen(io.fabric8.kubernetes.api.model.Node node) {
        devices.nodeSeen(translation.node(node));
        return List.of();
      }

      @Override
      public List<Event> gone(io.fabric8.kubernetes.api.model.Node node) {
        devices.nodeGone(node.getMetadata().getName());
        return List.of();
      }
    };
  }

  private Changes<Pod> pods() {
    return new Changes<>() {
      @Override
      public List<Event> seen(Pod pod) {
        pods.seen(pod);
        return List.of();
      }

      @Override
      public List<Event> changed(Pod before, Pod now) {
        pods.changed(before, now);
        return List.of();
      }

      @Override
      public List<Event> gone(Pod pod) {
        pods.gone(pod);
        return List.of();
      }
    };
  }

  /** Devices come free after the pod that has had them, and are taken before it has them. */
  private final class Followers implements PodReading.Followers {

    @Override
    public void reading(Pod pod) {
      claims.reading(pod);
    }

    @Override
    public void read(Pod pod, io.muster.extender.core.cluster.Pod meaning) {
      terms.seen(meaning);
      if (meaning.isTerminal()) {
        devices.podChanged(meaning.key().uid());
      }
      volumes.tell(pod, meaning);
      if (!meaning.isTerminal()) {
        devices.podChanged(meaning.key().uid());
      }
      claims.seen(meaning);
    }

    @Override
    public void leaving(PodKey key) {
      volumes.forget(key.uid());
      devices.podChanged(key.uid());
    }

    @Override
    public void gone(PodKey key) {
      claims.gone(key);
    }
  }

  private Changes<Gang> gangs() {
    return new Changes<>() {
      @Override
      public List<Event> seen(Gang gang) {
        GangObjects.idOf(gang).ifPresent(id -> directory.putIfAbsent(id, KnownGang.of(gang)));
        return GangObjects.recordOf(gang)
            .<List<Event>>map(
                found -> List.of(new Event.RecordFound(found, GangObjects.sinceOf(gang))))
            .orElse(List.of());
      }

      @Override
      public List<Event> gone(Gang gang) {
        var id = GangObjects.idOf(gang);
        id.ifPresent(known -> directory.remove(known, gang.getMetadata().getUid()));
        return id.<List<Event>>map(known -> List.of(new Event.RecordGone(known))).orElse(List.of());
      }
    };
  }

  /** What a change of one kind of object means. */
  private interface Changes<T> {
    List<Event> seen(T object);

    /** The protocol itself passes over what it knows already. */
    default List<Event> changed(T unusedBefore, T now) {
      return seen(now);
    }

    List<Event> gone(T object);
  }

  /** Passes changes on; never throws, since the informer would lose the rest. */
  private record Handler<T extends HasMetadata>(
      Opening opening, Opening.Part part, Changes<T> changes) implements ResourceEventHandler<T> {

    @Override
    public void onAdd(T object) {
      pass(object, changes::seen);
    }

    @Override
    public void onUpdate(T before, T now) {
      if (ObjectVersion.of(now).isBefore(ObjectVersion.of(before))) {
        opening.goneBack();
      }
      if (before.getMetadata().getUid().equals(now.getMetadata().getUid())) {
        pass(now, object -> changes.changed(before, object));
      } else {
        pass(before, changes::gone);
        pass(now, changes::seen);
      }
    }

    @Override
    public void onDelete(T object, boolean finalStateUnknown) {
      pass(object, changes::gone);
    }

    @Override
    public void onList(String resourceVersion, boolean remainedEmpty) {
      opening.listed(part);
    }

    private void pass(T object, Function<T, List<Event>> meaning) {
      try {
        opening.pass(part, meaning.apply(object));
      } catch (RuntimeException e) {
        LOG.atError()
            .setCause(e)
            .addKeyValue("part", part)
            .addKeyValue("object", object.getMetadata().getName())
            .log("an object could not be read");
      }
    }
  }
}
