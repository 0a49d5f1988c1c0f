//! The cases, which hold for each scheduler: this module is compiled once for each, with the
//! [`System`] of the module around it.
//!
//! A case that holds only when all its actors are on one strand says why in brackets.

use super::System;
#[cfg(test)]
use super::run;

pub(crate) mod harness;

mod delivery;
mod exit;
pub(crate) mod fairness;
mod memory;
pub(crate) mod model;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod native;
mod programs;
mod spawning;
mod tasks;
mod wakers;
mod workloads;

cases! {
    // First, while linear memory has not grown for anything else.
    memory:
        reserved_bytes_are_what_memory_grew_by ["each strand has memory of its own"]
        memory_of_ended_actors_is_used_again
        millions_of_messages_to_a_slow_receiver_are_all_handled
        a_million_queued_messages_drop_without_recursion
        a_million_actors_drop_without_recursion
        a_chain_of_stops_runs_to_its_end
        a_queue_of_nested_messages_is_dropped_once_each;
    delivery:
        messages_from_one_sender_arrive_in_order_whatever_the_budgets
        messages_from_one_sender_arrive_in_order_in_slices_of_every_size
        a_burst_passes_through_the_spill_queue_in_order
        spill_queues_are_not_mixed_up_between_mailboxes
        self_sends_arrive_in_order_behind_what_waits
        a_send_never_runs_the_receiver
        ping_pong_between_two_types_never_loses_a_message
        messages_to_an_actor_just_spawned_wait_for_its_start
        a_message_that_is_not_accepted_comes_back_unharmed ["an end on another strand isn't known at once"]
        a_stale_address_never_reaches_the_next_owner_of_its_slot
        addresses_of_all_owners_of_a_slot_stay_apart
        the_counters_tell_what_happened
        the_high_water_mark_is_the_longest_queue
        messages_of_any_size_arrive_whole;
    fairness:
        a_busy_actor_starves_nobody_of_its_type ["a slice may end before it comes to every strand"]
        a_busy_actor_starves_nobody_of_another_type ["a slice may end before it comes to every strand"]
        busy_actors_of_one_type_share_turns_with_another_types ["strands of unlike size take turns"]
        every_ready_actor_has_a_turn_in_each_round ["rounds are each strand's own"]
        nobody_overtakes_by_more_than_two_turns
        a_slice_ends_about_where_its_budget_does ["each worker may end a turn"]
        a_slice_without_budget_runs_nothing
        an_actor_that_spawns_for_ever_starves_nobody
        the_same_program_gives_the_same_trace ["order between senders"];
    exit:
        a_stop_drops_and_counts_what_is_queued
        a_stop_in_the_start_handler_ends_the_actor_before_any_message
        a_send_to_itself_after_a_stop_is_dropped
        a_panic_in_receive_ends_that_actor_alone
        a_panic_in_the_start_handler_ends_that_actor_alone
        a_panic_in_an_async_body_ends_that_actor_alone
        a_panic_in_the_drop_of_a_stopping_actor_is_its_failure
        a_panic_in_the_drop_of_a_failing_actor_keeps_the_first_message
        a_panic_in_the_drop_of_an_async_actor_is_its_failure
        panics_in_the_drops_of_queued_messages_end_nobody_else
        panics_in_the_drops_of_queued_messages_after_a_panic_are_contained
        a_panic_without_a_text_is_told_as_such
        a_payload_whose_drop_panics_is_contained
        a_panic_in_the_closure_of_spawn_async_is_the_spawners_failure
        a_panic_in_the_closure_of_spawn_async_outside_turns_is_the_hosts
        the_place_of_a_panic_is_kept
        failures_beyond_the_kept_ones_are_counted ["failures are kept in order by each strand"]
        a_failed_actors_slot_is_used_again
        a_ring_goes_on_without_the_actor_that_panicked;
    spawning:
        the_start_handler_runs_once_and_before_messages
        a_start_handler_that_sends_to_itself_gets_the_message
        actors_spawn_their_own_type_in_a_turn
        actors_spawn_other_types_in_a_turn
        handlers_and_async_actors_spawn_each_other
        a_thousand_types_live_in_one_system
        an_actor_spawned_and_stopped_in_a_turn_is_counted
        nested_spawns_in_a_spawn_closure_work
        large_actors_and_actors_without_size_work
        a_tree_of_spawns_sums_its_leaves;
    tasks:
        an_async_actor_receives_in_order
        an_async_actor_that_returns_has_stopped
        the_first_poll_is_the_start
        an_async_actor_can_wait_for_either_of_two
        a_combinator_with_wakers_of_its_own_gets_every_message
        a_combinator_survives_the_turn_budget
        a_receive_given_up_loses_no_message
        a_message_sent_to_itself_while_it_waits_is_received
        a_mailbox_used_outside_a_turn_says_so
        a_mailbox_moved_into_another_actor_says_so
        a_mailbox_used_in_its_actors_drop_says_so
        systems_nest_inside_turns
        a_future_that_borrows_across_awaits_stays_in_place
        a_busy_async_actor_starves_nobody ["a slice may end before it comes to every strand"];
    wakers:
        a_foreign_future_wakes_its_actor
        the_host_is_notified_at_most_once_per_slice
        a_wake_of_an_ended_actor_is_harmless
        a_wake_of_the_slots_next_owner_is_harmless
        a_wake_with_an_empty_queue_is_harmless
        a_yielding_actor_lets_others_run ["rounds are each strand's own"]
        a_waker_outlives_its_system
        wakers_of_one_actor_are_worth_one_poll
        a_wake_between_slices_is_not_lost;
    workloads:
        rings_of_one_and_two_work
        rings_of_many_shapes_pass_their_checks
        spawn_runs_pass_their_checks
        sizes_out_of_range_are_refused_in_words;
    programs:
        random_programs_behave_as_the_model;
}
