package io.muster.deploy.board.whatif;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.extender.core.cluster.Accelerator;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.GoDuration;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Turns a form into the manifest of a Job whose pods are a gang, so that it is answered as any
 * manifest is. The pods tolerate taints that have the name of their device. Stateless.
 */
final class Form {

  private static final String MEMBERS = "members";
  private static final String DEVICE = "device";
  private static final String DEVICES_EACH = "devicesEach";
  private static final String CPU = "cpu";
  private static final String MEMORY = "memory";
  private static final String QUEUE = "queue";
  private static final String PRIORITY = "priority";
  private static final String NAMESPACE = "namespace";
  private static final String NODE_SELECTOR = "nodeSelector";
  private static final String RUN_TIME = "runTime";

  static final Set<String> FIELDS =
      Set.of(
          MEMBERS,
          DEVICE,
          DEVICES_EACH,
          CPU,
          MEMORY,
          QUEUE,
          PRIORITY,
          NAMESPACE,
          NODE_SELECTOR,
          RUN_TIME);

  /** Of the Job and its gang. */
  private static final String NAME = "what-if";

  /** No node has more devices. */
  private static final int MOST_DEVICES = 10_000;

  private static final int MOST_SELECTORS = 50;
  private static final int LONGEST_LABEL = 63;
  private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern RESOURCE =
      Pattern.compile("[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/[A-Za-z0-9]([-._A-Za-z0-9]{0,61}\\w)?");
  private static final Pattern QUANTITY =
      Pattern.compile("[0-9]{1,15}(\\.[0-9]{1,3})?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?");
  private static final Pattern LABEL_KEY =
      Pattern.compile(
          "([a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?");
  private static final Pattern LABEL_VALUE =
      Pattern.compile("([A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)?");

  private Form() {}

  static Optional<String> namespace(Fields fields) throws InvalidRequestException {
    var namespace = fields.text(NAMESPACE, LONGEST_LABEL);
    if (namespace.filter(name -> !DNS_LABEL.matcher(name).matches()).isPresent()) {
      throw fields.invalid(NAMESPACE, "has to be the name of a namespace, like team-a");
    }
    return namespace;
  }

  /** The manifest as JSON, which is YAML too. */
  static String manifest(Fields fields, String namespace) throws InvalidRequestException {
    if (!fields.has(MEMBERS)) {
      throw fields.invalid(MEMBERS, "say how many members there are, or send a manifest");
    }
    long members = fields.number(MEMBERS, 1, Terms.MAX_MEMBERS).orElseThrow();
    var job = JsonNodeFactory.instance.objectNode();
    job.put("apiVersion", "batch/v1").put("kind", "Job");
    job.putObject("metadata").put("name", NAME).put("namespace", namespace);
    var spec = job.putObject("spec").put("parallelism", members).put("completions", members);
    var template = spec.putObject("template");
    annotate(template.putObject("metadata").putObject("annotations"), fields, members);
    var pod = template.putObject("spec").put("restartPolicy", "Never");
    fields
        .number(PRIORITY, Integer.MIN_VALUE, Integer.MAX_VALUE)
        .ifPresent(priority -> pod.put("priority", priority));
    var selector = selector(fields);
    if (!selector.isEmpty()) {
      var labels = pod.putObject(NODE_SELECTOR);
      selector.forEach(labels::put);
    }
    var container = pod.putArray("containers").addObject().put("name", "main").put("image", NAME);
    var limits = container.putObject("resources").putObject("limits");
    quantity(fields, CPU, "8 or 500m").ifPresent(amount -> limits.put("cpu", amount));
    quantity(fields, MEMORY, "64Gi").ifPresent(amount -> limits.put("memory", amount));
    askForDevices(fields, pod, limits);
    return job.toString();
  }

  private static void annotate(ObjectNode annotations, Fields fields, long members)
      throws InvalidRequestException {
    annotations.put(GangKeys.NAME, NAME).put(GangKeys.MIN, Long.toString(members));
    fields.text(QUEUE, Fields.LONGEST).ifPresent(name -> annotations.put(GangKeys.QUEUE, name));
    var runTime = fields.text(RUN_TIME, LONGEST_LABEL);
    if (runTime.isPresent()
        && GoDuration.parse(runTime.get()).filter(Duration::isPositive).isEmpty()) {
      throw fields.invalid(RUN_TIME, "has to be a duration above 0, like 90m or 4h");
    }
    runTime.ifPresent(stated -> annotations.put(GangKeys.RUN_TIME, stated));
  }

  private static void askForDevices(Fields fields, ObjectNode pod, ObjectNode limits)
      throws InvalidRequestException {
    var device = fields.text(DEVICE, Fields.LONGEST + 1 + LONGEST_LABEL);
    long each = fields.number(DEVICES_EACH, 0, MOST_DEVICES).orElse(device.isPresent() ? 1L : 0L);
    if (each == 0) {
      return;
    }
    if (device.isEmpty()) {
      throw fields.invalid(DEVICE, "say by which name, like nvidia.com/gpu");
    }
    var name = device.get();
    if (!RESOURCE.matcher(name).matches()) {
      throw fields.invalid(DEVICE, "has to be the name of a resource, like nvidia.com/gpu");
    }
    var refused = Accelerators.find(name).filter(known -> !known.kind().isCounted());
    if (refused.isPresent()) {
      throw fields.invalid(
          DEVICE,
          "members of a gang ask for whole devices: ask for "
              + refused.map(Accelerator::askFor).orElse(""));
    }
    limits.put(name, each);
    pod.putArray("tolerations").addObject().put("key", name).put("operator", "Exists");
  }

  private static Optional<String> quantity(Fields fields, String name, String example)
      throws InvalidRequestException {
    var stated = fields.textOrNumber(name);
    if (stated.filter(amount -> !QUANTITY.matcher(amount).matches()).isPresent()) {
      throw fields.invalid(name, "has to be an amount, like " + example);
    }
    return stated;
  }

  private static SortedMap<String, String> selector(Fields fields) throws InvalidRequestException {
    var stated = fields.object(NODE_SELECTOR);
    if (stated.isEmpty()) {
      return new TreeMap<>();
    }
    var labels = stated.get().texts();
    if (labels.size() > MOST_SELECTORS) {
      throw fields.invalid(NODE_SELECTOR, "has to be at most %d labels".formatted(MOST_SELECTORS));
    }
    for (var label : labels.entrySet()) {
      if (!LABEL_KEY.matcher(label.getKey()).matches()
          || !LABEL_VALUE.matcher(label.getValue()).matches()) {
        throw stated.get().invalid(label.getKey(), "has to be a label of nodes, like pool: a100");
      }
    }
    return labels;
  }
}
