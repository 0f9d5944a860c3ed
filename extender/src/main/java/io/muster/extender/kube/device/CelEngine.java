package io.muster.extender.kube.device;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableSet;
import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime;
import io.muster.extender.core.device.Device;
import io.muster.extender.core.device.Selectors.Verdict;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * CEL as kube-scheduler evaluates it on devices: {@code device.driver}, {@code device.attributes},
 * {@code device.capacity} and {@code device.allowMultipleAllocations}, with comparisons of
 * quantities and versions. What an expression uses beyond that does not compile. The apiserver has
 * bounded the cost of what it stores; loops and sizes are bounded here again. Immutable.
 */
final class CelEngine {

  private static final int LONGEST = 10 * 1024;
  private static final int MOST_ITERATIONS = 1000;
  private static final int DEEPEST = 100;

  private static final CelOptions OPTIONS =
      CelOptions.current()
          .maxExpressionCodePointSize(LONGEST)
          .maxParseRecursionDepth(DEEPEST)
          .comprehensionMaxIterations(MOST_ITERATIONS)
          .enableHeterogeneousNumericComparisons(true)
          .build();

  private static final CelType BY_DOMAIN =
      MapType.create(SimpleType.STRING, MapType.create(SimpleType.STRING, SimpleType.DYN));
  private static final Map<String, CelType> FIELDS =
      Map.of(
          "driver",
          SimpleType.STRING,
          "attributes",
          BY_DOMAIN,
          "capacity",
          BY_DOMAIN,
          "allowMultipleAllocations",
          SimpleType.BOOL);
  private static final StructType DEVICE =
      StructType.create(
          "kubernetes.Device",
          ImmutableSet.copyOf(FIELDS.keySet()),
          field -> Optional.ofNullable(FIELDS.get(field)));

  /** So that an expression with a field that there is not does not compile. */
  private static final class DeviceTypes implements CelTypeProvider {

    @Override
    public ImmutableCollection<CelType> types() {
      return ImmutableSet.of(DEVICE);
    }

    @Override
    public Optional<CelType> findType(String name) {
      return Optional.<CelType>of(DEVICE).filter(type -> type.name().equals(name));
    }
  }

  private final Cel cel;

  CelEngine() {
    var builder =
        CelFactory.plannerCelBuilder()
            .setOptions(OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addCompilerLibraries(
                CelExtensions.bindings(),
                CelExtensions.strings(),
                CelExtensions.optional(),
                CelExtensions.sets(OPTIONS))
            .addRuntimeLibraries(
                CelExtensions.strings(), CelExtensions.optional(), CelExtensions.sets(OPTIONS))
            .setTypeProvider(new DeviceTypes())
            .addVar("device", DEVICE);
    for (var each : List.of("isGreaterThan", "isLessThan")) {
      builder.addFunctionDeclarations(member(each, SimpleType.BOOL));
    }
    builder.addFunctionDeclarations(member("compareTo", SimpleType.INT));
    builder.addFunctionDeclarations(maker("quantity"), maker("semver"));
    builder.addFunctionBindings(
        CelFunctionBinding.from(
            "dra_isGreaterThan", Object.class, Object.class, (a, b) -> compare(a, b) > 0),
        CelFunctionBinding.from(
            "dra_isLessThan", Object.class, Object.class, (a, b) -> compare(a, b) < 0),
        CelFunctionBinding.from(
            "dra_compareTo", Object.class, Object.class, (a, b) -> (long) compare(a, b)),
        CelFunctionBinding.from("dra_quantity", String.class, Amount::of),
        CelFunctionBinding.from("dra_semver", String.class, SemanticVersion::of));
    cel = builder.build();
  }

  private static CelFunctionDecl member(String name, CelType result) {
    return CelFunctionDecl.newFunctionDeclaration(
        name,
        CelOverloadDecl.newMemberOverload("dra_" + name, result, SimpleType.DYN, SimpleType.DYN));
  }

  private static CelFunctionDecl maker(String name) {
    return CelFunctionDecl.newFunctionDeclaration(
        name, CelOverloadDecl.newGlobalOverload("dra_" + name, SimpleType.DYN, SimpleType.STRING));
  }

  /** The expression; one that cannot be compiled is unknown of every device. */
  DevicePredicate compile(String expression) {
    CelRuntime.Program program;
    try {
      program = cel.createProgram(cel.compile(expression).getAst());
    } catch (CelValidationException | CelEvaluationException | IllegalArgumentException e) {
      var unknown = new Verdict.Unknown("a selector cannot be read: " + firstLine(e));
      return (_, _) -> unknown;
    }
    return (driver, device) -> {
      try {
        return Boolean.TRUE.equals(program.eval(Map.of("device", facts(driver, device))))
            ? new Verdict.Meets()
            : new Verdict.Differs();
      } catch (CelEvaluationException | RuntimeException e) {
        return new Verdict.Unknown("a selector fails: " + firstLine(e));
      }
    };
  }

  private static Map<String, Object> facts(String driver, Device device) {
    var capacity = new HashMap<String, Object>();
    device.capacity().forEach((name, amount) -> capacity.put(name, Amount.of(amount)));
    return Map.of(
        "driver",
        driver,
        "attributes",
        byDomain(driver, device.attributes()),
        "capacity",
        byDomain(driver, capacity),
        "allowMultipleAllocations",
        device.use() == Device.Use.SHARED);
  }

  /** A name without a domain is in that of the driver; a domain without names is empty. */
  private static Map<String, Object> byDomain(String driver, Map<String, Object> qualified) {
    var domains = new HashMap<String, Map<String, Object>>();
    qualified.forEach((name, value) -> {
      int slash = name.indexOf('/');
      domains
          .computeIfAbsent(slash < 0 ? driver : name.substring(0, slash), _ -> new HashMap<>())
          .put(name.substring(slash + 1), value(value));
    });
    return new Domains(domains);
  }

  private static Object value(Object value) {
    return switch (value) {
      case Device.Version(var text) -> SemanticVersion.of(text);
      case List<?> all -> all.stream().map(CelEngine::value).toList();
      default -> value;
    };
  }

  private static int compare(Object a, Object b) {
    if (a instanceof Amount left && b instanceof Amount right) {
      return left.compareTo(right);
    }
    if (a instanceof SemanticVersion left && b instanceof SemanticVersion right) {
      return left.compareTo(right);
    }
    throw new IllegalArgumentException("no quantities and no versions are compared");
  }

  private static String firstLine(Exception e) {
    var message = String.valueOf(e.getMessage());
    return message.lines().findFirst().orElse("").strip();
  }
}
