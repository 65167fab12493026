#include "world/untold.h"

#include <algorithm>
#include <set>

#include "agent/clients.h"
#include "base/text.h"
#include "world/supply_policy.h"

namespace capsule::world {
namespace {

struct Tells {
  bool tokens = false, cost = false;
};

// A program that prints what a client prints tells what that one tells; text tells nothing.
Tells told_by(const config::Config& config, const std::string& provider) {
  const auto row = config.providers.find(provider);
  const std::string output = row == config.providers.end() ? "" : row->second.output;
  const bool command = row != config.providers.end() && !row->second.command.empty();
  if (output == "text") return {};
  const auto known = agent::clients();
  const auto client = std::find_if(known.begin(), known.end(), [&](const agent::Client& one) {
    return command ? !output.empty() && dialect::name_of(one.output) == output
                   : one.name == provider;
  });
  return client == known.end() ? Tells{} : Tells{client->tells_tokens, client->tells_cost};
}

bool has_price(const supply::Policy& policy, const supply::Choice& choice) {
  event::TokenUse some;
  some.tokens_known = true;
  return supply::priced(policy, some, choice.model, choice.provider).cost_known;
}

// Everybody who may be called, each once. A rehearsal costs nothing.
std::vector<supply::Choice> choices_in(const supply::Policy& policy) {
  std::vector<supply::Choice> all;
  std::set<std::pair<std::string, std::string>> seen;
  const auto add = [&](const std::vector<supply::Choice>& choices) {
    for (const supply::Choice& one : choices)
      if (one.provider != "rehearsal" && seen.insert({one.provider, one.model}).second)
        all.push_back(one);
  };
  for (const auto& [phase, choices] : policy.phases) add(choices);
  for (const auto& [role, choices] : policy.roles) add(choices);
  add(policy.other_phases);
  add(policy.other_roles);
  return all;
}

std::string list_of(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + printable(name);
  return list;
}

}  // namespace

std::vector<UntoldBudget> untold_budgets(const config::Config& config) {
  const config::Budget& budget = config.budget;
  std::string money;
  for (const auto& [name, limit] :
       {std::pair("run", budget.run), {"task", budget.task}, {"day", budget.day}})
    if (limit > 0) money += (money.empty() ? "budget." : ", budget.") + std::string(name);
  const supply::Policy policy = policy_of(config);
  std::set<std::string> without_price, without_tokens;
  for (const supply::Choice& choice : choices_in(policy)) {
    const Tells tells = told_by(config, choice.provider);
    if (!tells.tokens) without_tokens.insert(choice.provider);
    if (!tells.cost && tells.tokens && !has_price(policy, choice))
      without_price.insert(choice.provider);
  }
  // Whoever tells its cost counts towards money, tokens or not.
  std::set<std::string> nothing;
  for (const std::string& name : without_tokens)
    if (!told_by(config, name).cost) nothing.insert(name);
  std::vector<UntoldBudget> found;
  if (!money.empty() && !without_price.empty())
    found.push_back({money + ": what no client tells does not count, and no price is set for " +
                         list_of(without_price) + ", which tells tokens only",
                     "in .capsule/config.yaml: prices: {" + printable(*without_price.begin()) +
                         ": {input: AMOUNT, output: AMOUNT}}, for a million tokens"});
  if (!money.empty() && !nothing.empty())
    found.push_back({money + ": " + list_of(nothing) +
                         " tells neither cost nor tokens, so that its calls do not count",
                     ""});
  if (budget.tokens > 0 && !without_tokens.empty())
    found.push_back({"budget.tokens: " + list_of(without_tokens) +
                         " tells no tokens, so that its calls do not count",
                     ""});
  return found;
}

}  // namespace capsule::world
